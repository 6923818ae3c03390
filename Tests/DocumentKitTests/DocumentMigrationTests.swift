import FileMigration
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import Glibc
import Migration
import ObjectGraph
import Query
import Schema
import Storage
import Synchronization
import TestSupport
import Testing

/// Documents of former versions: what opening does about them, and that nothing is lost whatever
/// stops it.
@Suite(.serialized) struct DocumentMigrationTests {
    static let forms: [DocumentForm] = [.package, .archive, .store, .binaryStore, .xmlStore]

    private static func model(_ version: Int) throws -> ManagedObjectModel {
        var model = try Library.model().definition
        model.versionIdentifiers = ["\(version)"]
        let book = try #require(model.entities.firstIndex { $0.name == "Book" }),
            author = try #require(model.entities.firstIndex { $0.name == "Author" })
        if version > 1 {
            model.entities[book].attributes.append(
                .init("year", .integer32, isOptional: false, defaultValue: .int(1900)))
            model.entities[author].attributes[0].renamingIdentifier = "name"
            model.entities[author].attributes[0].name = "fullName"
        }
        if version > 2 {
            model.entities[book].attributes.removeAll { $0.name == "pages" }
            model.entities[book].attributes.append(.init("shelf", .string))
        }
        return try ManagedObjectModel(model)
    }

    private static func make(_ url: URL, _ form: DocumentForm, version: Int = 1) async throws {
        let document = try await PersistentDocument.create(at: url, model: model(version), form: form)
        try Library.fill(document.context)
        try await document.save()
        try await document.close()
    }

    private func route(_ version: Int, from former: [Int] = [1]) throws -> PersistentDocument.MigrationRoute {
        PersistentDocument.MigrationRoute(to: try Self.model(version), from: try former.map { try Self.model($0) })
    }

    /// All there is beside the document's lock.
    private func files(_ folder: URL) throws -> [String: [UInt8]] {
        try contents(of: folder).filter { !$0.key.hasSuffix(".lock") }
    }

    private func check(_ document: PersistentDocument) throws {
        #expect(try Library.titles(document) == ["Essays", "Middlemarch"])
        let author = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
        #expect(author["fullName"] as? String == "Eliot")
        #expect((author["books"] as? [ManagedObject])?.count == 2)
        let novel = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
        #expect(try (novel["cover"] as? LargeValue)?.data() == Library.cover)
        #expect(novel["year"] as? Int == 1900)
        #expect(
            (novel["similar"] as? Set<ManagedObject>)?.count == 1 && (novel["tags"] as? Set<ManagedObject>)?.count == 1)
    }
}

extension DocumentMigrationTests {
    // MARK: Policies

    @Test(arguments: forms) func openingMigratesAndKeepsTheOldState(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, form)
            let plan = try await PersistentDocument.migrationPlan(of: url, by: route(2))
            #expect(plan.stages == 1 && !plan.steps.isEmpty)
            let document = try await PersistentDocument.open(url, by: route(2), migration: .automatic)
            try check(document)
            #expect(document.mode == .editing)
            try Library.insertBook("New", document)
            try await document.save()
            if form == .package { #expect(try document.versions().contains { $0.reason == .migration }) }
            try await document.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                !$0.hasSuffix(".lock")
            }.sorted()
            #expect(
                names.filter { !$0.hasPrefix(".") } == (form == .package ? [] : ["A.before-1.document"]) + [
                    "A.document"
                ])
            #expect(!names.contains { $0.contains("tmp-") })
            let again = try await PersistentDocument.open(url, by: route(2), migration: .refuse)
            #expect(try Library.titles(again) == ["Essays", "Middlemarch", "New"])
            try await again.close()
            if form != .xmlStore { #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty) }
        }
    }

    @Test(arguments: forms) func whoDoesNotAgreeFindsTheDocumentAsItWas(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, form)
            let before = try files(folder)
            let refused = await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.open(url, by: route(2), migration: .refuse)
            }
            #expect(refused?.code == .modelMismatch)
            let asked = Mutex<[DocumentMigration]>([])
            let declined = await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.open(
                    url, by: route(2),
                    migration: .ask { plan in
                        asked.withLock { $0.append(plan) }
                        return false
                    })
            }
            #expect(declined?.code == .modelMismatch && asked.withLock { $0.map(\.isNeeded) } == [true])
            #expect(try files(folder) == before)
            let document = try await PersistentDocument.open(url, by: route(2), migration: .ask { _ in true })
            try check(document)
            try await document.close()
        }
    }

    @Test(arguments: forms) func aViewShowsTheMigratedDocumentAndWritesNothing(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, form)
            let before = try contents(of: folder)
            for mode in [PersistentDocument.Mode.editing, .reading] {
                let view = try await PersistentDocument.open(
                    url, by: route(2), migration: mode == .editing ? .readingCopy : .automatic, mode: mode)
                #expect(view.mode == .reading)
                try check(view)
                try await view.close()
            }
            let objects = try await PersistentDocument.open(url, by: routeByObjects(), migration: .readingCopy)
            try check(objects)
            try await objects.close()
            #expect(try contents(of: folder) == before)
        }
    }
}

extension DocumentMigrationTests {
    @Test(arguments: [DocumentForm.package, .archive, .store])
    func aNewerDocumentIsRefusedNamingBothVersionsAndWhatWasKept(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, form)
            let migration = try await PersistentDocument.migrate(
                url,
                by: PersistentDocument.MigrationRoute(
                    to: Self.model(3), named: "Third", from: [Self.model(1), Self.model(2)]))
            let before = try files(folder)
            let error = await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.open(
                    url, by: PersistentDocument.MigrationRoute(to: Self.model(1), named: "First"), migration: .automatic
                )
            }
            #expect(error?.code == .newer)
            #expect(
                error?.message.contains(form == .store ? "“3”" : "“Third”") == true
                    && error?.message.contains("“First”") == true, "\(error?.message ?? "")")
            let kept = try #require(migration.backup)
            #expect(error?.hint?.contains(kept) == true, "\(error?.hint ?? "") \(kept)")
            // The marks of its migration tell, where a program asks for a version by itself.
            if form != .store {
                let direct = await #expect(throws: DocumentError.self) {
                    try await PersistentDocument.migrate(url, to: Self.model(1))
                }
                #expect(direct?.code == .newer)
            }
            #expect(try files(folder) == before)
        }
    }
}

extension DocumentMigrationTests {
    // MARK: Models that can't be removed or were not finished

    @Test(arguments: [true, false]) func aMigrationStandsWhereTheOldModelCannotBeRemoved(isInPlace: Bool) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, .package)
            let route = isInPlace ? try route(3) : try routeByObjects()
            var migrator = DocumentMigrator(path: url.path, model: route.model)
            migrator.mappings = route.mappings
            let ready = migrator
            _ = try FaultInjection.with(
                { call, path in call == .unlink && path.contains("/model/") ? .error(EIO) : nil }
            ) { try ready.migrate() }
            let models = url.path + "/model"
            #expect(try Disk.names(in: models).count { !$0.hasPrefix(".") } == 1)
            #expect(try Disk.names(in: models).count { $0.hasPrefix(".") } == 1)
            #expect(try DocumentVerifier.verify(url) == [])
            let document = try await PersistentDocument.open(url)
            #expect(document.model.versionHashesByEntityName == route.model.versionHashesByEntityName)
            try await document.close()
            #expect(try Disk.names(in: models).count == 1)
        }
    }

    @Test func aModelWithoutContentsBesideTheRightOneIsNoObstacle() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, .package)
            try Disk.makeDirectory(url.path + "/model/0.xcdatamodel")
            let document = try await PersistentDocument.open(url, by: route(2), migration: .automatic)
            try check(document)
            try await document.close()
        }
    }
}

extension DocumentMigrationTests {
    // MARK: Before anything is done

    @Test(arguments: forms) func roomIsLookedForFirst(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, form)
            let before = try files(folder)
            var migrator = DocumentMigrator(path: url.path, model: try Self.model(3))
            let old = try Self.model(1)
            migrator.sourceModel = .model(old)
            migrator.backupLabel = { _ in nil }
            migrator.availableBytes = { _ in 100 }
            let error = #expect(throws: DocumentError.self) { try migrator.migrate() }
            #expect(error?.code == .inputOutput && error?.message.contains("room") == true)
            #expect(try files(folder) == before)
            migrator.availableBytes = { _ in 1 << 40 }
            #expect(try migrator.migrate().isNeeded)
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func autosavedWorkIsSavedFirstWhereItIsKept(form: DocumentForm)
        async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, form)
            let editor = try await PersistentDocument.open(url)
            try Library.insertBook("Unsaved", editor)
            try await editor.autosave()
            try await editor.close()
            let error = await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.open(url, by: route(2), migration: .automatic)
            }
            #expect(error?.code == .recoverable)
            let document = try await PersistentDocument.open(url, by: route(2), migration: .automatic, recovery: .keep)
            #expect(try Library.titles(document) == ["Essays", "Middlemarch", "Unsaved"])
            #expect(!document.hasUnsavedChanges)
            try await document.close()
        }
    }

    @Test func aLogThatWasLeftIsFoldedInFirst() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.sqlite")
            try await Self.make(url, .store)
            // As a program leaves it that is killed: the last commit is in the log.
            let copy = folder.appendingPathComponent("B.sqlite")
            let document = try await PersistentDocument.open(url)
            try Library.insertBook("Logged", document)
            try await document.save()
            for suffix in ["", "-wal"] {
                try Data(Disk.read(url.path + suffix, limit: 1 << 30)).write(
                    to: URL(fileURLWithPath: copy.path + suffix))
            }
            try FileManager.default.copyItem(
                at: folder.appendingPathComponent(".A_SUPPORT"), to: folder.appendingPathComponent(".B_SUPPORT"))
            try await document.close()
            #expect(try #require(try Disk.status(of: copy.path + "-wal")).size > 0)
            let migrated = try await PersistentDocument.open(copy, by: route(2), migration: .automatic)
            #expect(try Library.titles(migrated) == ["Essays", "Logged", "Middlemarch"])
            try await migrated.close()
        }
    }

    @Test(arguments: forms) func aDocumentThatCantBeWrittenIsMigratedIntoACopy(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document"), target = folder.appendingPathComponent("B.document")
            try await Self.make(url, form)
            let former = try Self.model(1)
            let owner = try await DocumentOpening.open(url, mode: .editing, fitting: .model(former))
            try await owner.lock()
            try await owner.close()
            let before = try files(folder)
            let error = await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.open(url, by: route(2), migration: .automatic)
            }
            #expect(error?.code == .permission)
            #expect(try files(folder) == before)
            #expect(try await PersistentDocument.migrate(url, by: route(2), into: target).isNeeded)
            let copy = try await PersistentDocument.open(target, by: route(2), migration: .refuse, mode: .reading)
            try check(copy)
            try await copy.close()
            for (name, bytes) in before { #expect(try files(folder)[name] == bytes, "\(name)") }
            let exists = await #expect(throws: DocumentError.self) {
                try await PersistentDocument.migrate(url, by: route(2), into: target)
            }
            #expect(exists?.code == .cannotCreate)
        }
    }
}

extension DocumentMigrationTests {
    // MARK: Mapping models

    /// Every title in capitals: no table does that.
    private func routeByObjects(policy: String? = nil) throws -> PersistentDocument.MigrationRoute {
        let (old, new) = (try Self.model(1), try Self.model(2))
        var mapping = try MappingModel.inferred(from: old, to: new)
        let tag = try #require(mapping.entityMappings.firstIndex { $0.destinationEntityName == "Tag" })
        mapping.entityMappings[tag].attributeMappings[0].valueExpression = try QueryExpression(
            format: "uppercase($source.name)")
        mapping.entityMappings[tag].migrationPolicyName = policy
        return PersistentDocument.MigrationRoute(to: new, from: [old], by: mapping, policies: ["Failing": Failing.self])
    }

    private struct LimitReached: Error {}

    private final class Failing: EntityMigrationPolicy {
        override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
            throw LimitReached()
        }
    }

    @Test(arguments: forms) func aMappingModelMakesTheObjectsAnew(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, form)
            let before = try files(folder)
            await #expect(throws: LimitReached.self) {
                try await PersistentDocument.migrate(url, by: routeByObjects(policy: "Failing"))
            }
            #expect(
                try files(folder).filter { !$0.key.contains("_SUPPORT") }
                    == before.filter { !$0.key.contains("_SUPPORT") })
            let plan = try await PersistentDocument.migrationPlan(of: url, by: routeByObjects())
            #expect(!plan.isInPlace && plan.rows == 4)
            let done = try await PersistentDocument.migrate(url, by: routeByObjects())
            #expect(done.steps == plan.steps)
            let document = try await PersistentDocument.open(url, by: route(2), migration: .refuse)
            try check(document)
            let tags = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).map {
                $0["name"] as? String
            }
            #expect(tags == ["CLASSIC"])
            if form == .package {
                let version = try #require(try document.versions().last)
                #expect(version.reason == .migration)
            }
            try await document.close()
            if form != .xmlStore { #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty) }
            if form == .package {
                // The old state is a document of the old version.
                let kept = try await DocumentOpening.open(url, mode: .reading, state: .version(1), fitting: .own)
                #expect(kept.model.definition.versionIdentifiers == ["1"])
                #expect(try Library.titles(kept) == ["Essays", "Middlemarch"])
                try await kept.close()
            }
        }
    }
}

extension DocumentMigrationTests {
    // MARK: Cancelling, two at once

    /// Cancels when so much was told.
    private func cancel(_ url: URL, after notes: Int, _ route: PersistentDocument.MigrationRoute) throws -> (
        told: Int, error: (any Error)?
    ) {
        final class Box: @unchecked Sendable {
            // Written and read by the migrating thread alone.
            var told = 0
            var progress: MigrationProgress?
        }
        let box = Box()
        let progress = MigrationProgress { _ in
            box.told += 1
            if box.told == notes { box.progress?.cancel() }
        }
        box.progress = progress
        defer { box.progress = nil }
        var migrator = DocumentMigrator(path: url.path, model: route.model)
        let former = route.formerVersions[0]
        migrator.sourceModel = .model(former)
        migrator.mappings = route.mappings
        migrator.progress = progress
        migrator.backupLabel = { _ in nil }
        if notes == 0 { progress.cancel() }
        do {
            _ = try migrator.migrate()
            return (box.told, nil)
        } catch {
            return (box.told, error)
        }
    }

    @Test(arguments: forms) func aCancelledMigrationCostsNothing(form: DocumentForm) async throws {
        for route in [try route(3), try routeByObjects()] {
            try await withFolder { folder in
                let url = folder.appendingPathComponent("A.document")
                try await Self.make(url, form)
                let before = try files(folder)
                var point = 0
                while true {
                    let (told, error) = try cancel(url, after: point, route)
                    guard let error else {
                        #expect(told <= point)
                        break
                    }
                    let storage = (error as? DocumentError)?.underlying as? StorageError ?? error as? StorageError
                    #expect(storage?.code == .cancelled || (error as? MigrationError)?.code == .cancelled, "\(error)")
                    let after = try files(folder)
                    #expect(Set(after.keys) == Set(before.keys), "cancelled at \(point)")
                    #expect(after == before, "cancelled at \(point)")
                    point += 1
                    if after != before { break }
                }
                #expect(point >= 1)
            }
        }
    }

    @Test(arguments: forms) func ofTwoAtOnceOneMigratesAndTheOtherFindsItDoneOrLocked(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.document")
            try await Self.make(url, form)
            let route = try self.route(2)
            let outcomes = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        do {
                            return .success(try await PersistentDocument.migrate(url, by: route).isNeeded)
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                var outcomes: [Result<Bool, any Error>] = []
                for await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            var done = 0
            for outcome in outcomes {
                switch outcome {
                case .success(let isNeeded): done += isNeeded ? 1 : 0
                case .failure(let error): #expect((error as? DocumentError)?.code == .locked, "\(error)")
                }
            }
            #expect(done == 1)
            let document = try await PersistentDocument.open(url, by: route, migration: .refuse)
            try check(document)
            try await document.close()
        }
    }
}
