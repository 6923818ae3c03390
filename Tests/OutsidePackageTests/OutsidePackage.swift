import Foundation
import TestSupport

/// A package of somebody else's that names Folio by URL and version, and what it depends on.
struct OutsidePackage {
    let folder: URL

    /// - Parameter scratch: A folder that both are made in.
    init(in scratch: URL) throws {
        let repository = scratch.appendingPathComponent("Folio")
        folder = scratch.appendingPathComponent("Almanac")
        try Self.release(at: repository)
        let files = [
            "Package.swift": Self.manifest(repository), "Sources/Almanac/Almanac.swift": Self.classes,
            "Tests/AlmanacTests/AlmanacTests.swift": Self.tests,
            "Tests/AlmanacTests/ProgramTests.swift": Self.programs,
            "Sources/Almanac/Models/Expeditions.codegen.json": #"{ "codable": true }"#,
        ]
        for (name, text) in files { try Self.write(text, to: folder.appendingPathComponent(name)) }
        try FileManager.default.copyContents(
            of: projectFolder.appendingPathComponent("DocumentSamples/Expeditions.xcdatamodeld"),
            to: folder.appendingPathComponent("Sources/Almanac/Models/Expeditions.xcdatamodeld"))
    }

    /// The working copy as it is, with whatever is not committed, as a repository with a version.
    private static func release(at repository: URL) throws {
        try FileManager.default.createDirectory(at: repository, withIntermediateDirectories: true)
        for name in ["Package.swift", "Sources", "Tests"] {
            try FileManager.default.copyContents(
                of: projectFolder.appendingPathComponent(name), to: repository.appendingPathComponent(name))
        }
        try Subprocess.succeed("git", "init", "-q", in: repository)
        try Subprocess.succeed("git", "add", "-A", in: repository)
        try Subprocess.succeed(
            "git", "-c", "user.name=Almanac", "-c", "user.email=almanac@example.org", "commit", "-q", "-m", "Release",
            in: repository)
        try Subprocess.succeed("git", "tag", "1.2.0", in: repository)
    }

    private static func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// The file that the plugin had written.
    func generatedFile() throws -> URL {
        let outputs = folder.appendingPathComponent(".build/plugins/outputs")
        guard
            let path = try FileManager.default.subpathsOfDirectory(atPath: outputs.path).first(where: {
                $0.hasSuffix("/ExpeditionsModel.swift")
            })
        else {
            throw Subprocess.Failure(description: "the plugin wrote no ExpeditionsModel.swift")
        }
        return outputs.appendingPathComponent(path)
    }

    /// Changes the current version of the model.
    func editModel(_ text: String, to new: String) throws {
        let model = folder.appendingPathComponent("Sources/Almanac/Models/Expeditions.xcdatamodeld")
        for name in try FileManager.default.contentsOfDirectory(atPath: model.path) where name.hasSuffix(".xcdatamodel")
        {
            let file = model.appendingPathComponent("\(name)/contents")
            try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: text, with: new).write(
                to: file, atomically: true, encoding: .utf8)
        }
    }

    // MARK: Its files

    private static func manifest(_ repository: URL) -> String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "Almanac",
            dependencies: [.package(url: "\(repository.absoluteString)", from: "1.0.0")],
            targets: [
                .target(
                    name: "Almanac", dependencies: [.product(name: "Folio", package: "Folio")], swiftSettings: [.treatAllWarnings(as: .error)],
                    plugins: [.plugin(name: "FolioModels", package: "Folio")]),
                .testTarget(name: "AlmanacTests", dependencies: ["Almanac"], swiftSettings: [.treatAllWarnings(as: .error)]),
            ]
        )
        """
    }

    private static let classes = #"""
        import Folio
        import Foundation

        public enum Weather: String, AttributeValue { case fair, foul }

        @Model public class Entry: ManagedObject {
            @Attribute(.unique) public var day: Int = 0
            public var weather: Weather = .fair
            @Relationship(deleteRule: .nullify, inverse: \Almanac.entries) public var almanac: Almanac?
        }

        @Model public final class Remark: Entry {
            public var text: String?
        }

        @Model public final class Almanac: ManagedObject {
            public var year: Int16 = 0
            public var entries: [Entry]
        }

        extension Person {
            /// What an extension of a generated class says.
            public var label: String { "\(name ?? "–"), \(journeys.count)" }
        }
        """#

    private static let tests = #"""
        import Almanac
        import Folio
        import Foundation
        import Observation
        import Synchronization
        import Testing

        @Suite struct AlmanacTests {
            private func context(_ model: ManagedObjectModel, _ classes: [String: ManagedObject.Type]) throws -> ManagedObjectContext {
                let container = PersistentContainer(name: "Almanac", managedObjectModel: model, classes: classes)
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                container.persistentStoreDescriptions = [PersistentStoreDescription(url: folder.appendingPathComponent("Store.sqlite"))]
                try container.loadPersistentStores()
                return container.newBackgroundContext()
            }

            @Test func classesWithMacrosWork() throws {
                let context = try context(ManagedObjectModel(schema: [Almanac.self, Remark.self]), ManagedObject.classesByName([Almanac.self, Remark.self]))
                let almanac = Almanac(context: context)
                for day in 1...3 {
                    let remark = Remark(context: context)
                    (remark.day, remark.text, remark.weather) = (day, "Day \(day)", day == 2 ? .foul : .fair)
                    almanac.entries.append(remark)
                }
                try context.save()
                #expect(try context.fetch(Remark.self, where: \.day >= 2, sort: [.descending(\.day)]).map(\.text) == ["Day 3", "Day 2"])
                #expect(try context.fetch(Remark.self, where: #Predicate { $0.day < 3 && $0.text != nil }, sortBy: [SortDescriptor(\.day)]).map(\.day) == [1, 2])
                #expect(try context.count(Entry.self, where: \.weather == .foul) == 1)
            }

            @Test func classesOfTheModelWork() throws {
                let context = try context(ExpeditionsModel.model(), ExpeditionsModel.classes)
                let person = Person(context: context)
                person.name = "Gertrude Bell"
                let journey = Journey(context: context)
                journey.title = "The Desert and the Sown"
                person.addToJourneys(journey)
                #expect(person.label == "Gertrude Bell, 1" && journey.members.contains(person))
                let found = try context.fetch(Person.self, where: \.name == "Gertrude Bell" && (\Person.journeys).any(\.title == journey.title))
                #expect(found == [person])
                let copy = try JSONDecoder().decode(Person.self, from: JSONEncoder().encode(person), configuration: context)
                #expect(copy !== person && copy.journeys.first?.title == journey.title)
            }

            @Test func generatedClassesAreObserved() throws {
                let context = try context(ExpeditionsModel.model(), ExpeditionsModel.classes)
                context.isObservable = true
                let person = Person(context: context), journey = Journey(context: context)
                #expect((person as Any) is any Observable)
                final class Flag: Sendable { let isSet = Atomic<Bool>(false) }
                func isTold(of read: () -> Void, when change: () -> Void) -> Bool {
                    let flag = Flag()
                    withObservationTracking(read) { flag.isSet.store(true, ordering: .relaxed) }
                    change()
                    return flag.isSet.load(ordering: .relaxed)
                }
                #expect(isTold(of: { _ = person.label }) { person.name = "Ada" })
                #expect(isTold(of: { _ = person.journeys.count }) { journey.addToMembers(person) })
                #expect(isTold(of: { _ = journey.members.count }) { person.removeFromJourneys(journey) })
                #expect(!isTold(of: { _ = person.name }) { journey.title = "x" })
            }

            @Test func objectsOfBothRoadsAndOfNoneAreInOneDocument() async throws {
                let model = try ManagedObjectModel(byMerging: [ExpeditionsModel.model(), ManagedObjectModel(schema: [Almanac.self, Remark.self])])
                let classes = ExpeditionsModel.classes.merging(ManagedObject.classesByName([Almanac.self, Remark.self])) { $1 }
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let url = folder.appendingPathComponent("Mixed.folio")
                let document = try await PersistentDocument.create(at: url, model: model, classes: classes)
                let person = Person(context: document.context), remark = Remark(context: document.context)
                (person.name, remark.text, remark.day) = ("Ada", "Fair", 1)
                let place = try document.context.insert("Harbour")
                (place["name"], place["code"]) = ("Vardø", "VRD")
                try await document.save()
                try await document.close()
                let again = try await PersistentDocument.open(url, classes: classes)
                #expect(try again.context.fetch(Person.self, where: \.name == "Ada").count == 1)
                #expect(try again.context.first(Remark.self, where: \.day == 1)?.text == "Fair")
                let harbour: ManagedObject? = try again.context.first("Harbour")
                #expect(harbour?["name"] as? String == "Vardø")
                try await again.close()
            }
        }
        """#

    /// A small program for each part of Folio, as its documentation comments show it.
    private static let programs = #"""
        import Almanac
        import Folio
        import Foundation
        import Testing

        enum NotesV1: VersionedSchema {
            static var versionIdentifier: SchemaVersion { SchemaVersion(1, 0, 0) }
            static var models: [ManagedObject.Type] { [Note.self] }

            @Model final class Note: ManagedObject {
                var text: String = ""
            }
        }

        enum NotesV2: VersionedSchema {
            static var versionIdentifier: SchemaVersion { SchemaVersion(2, 0, 0) }
            static var models: [ManagedObject.Type] { [Note.self] }

            @Model final class Note: ManagedObject {
                @Attribute(originalName: "text") var body: String = ""
                var length: Int = 0
            }
        }

        enum NotesPlan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
            static var stages: [MigrationStage] {
                [
                    .custom(fromVersion: NotesV1.self, toVersion: NotesV2.self, willMigrate: nil) { context in
                        for note in try context.fetch(NotesV2.Note.self) { note.length = note.body.count }
                        try context.save()
                    }
                ]
            }
        }

        final class NotesDocument: PersistentDocument {
            override class var migrationPlan: (any SchemaMigrationPlan.Type)? { NotesPlan.self }
        }

        @Suite struct ProgramTests {
            private func url(_ name: String) throws -> URL {
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                return folder.appendingPathComponent(name)
            }

            private func container() throws -> PersistentContainer {
                let container = PersistentContainer(
                    name: "Almanac", managedObjectModel: try ManagedObjectModel(schema: [Almanac.self, Remark.self]),
                    classes: ManagedObject.classesByName([Almanac.self, Remark.self]))
                var description = PersistentStoreDescription(url: try url("Store.sqlite"))
                description.tracksHistory = true
                container.persistentStoreDescriptions = [description]
                try container.loadPersistentStores()
                return container
            }

            @Test func contexts() throws {
                let container = try container()
                let context = container.viewContext
                context.undoManager = UndoManager()
                let entry = Entry(context: context)
                entry.day = 1
                try context.save()
                entry.day = 2
                context.processPendingChanges()
                context.undoManager?.undo()
                #expect(entry.day == 1 && !context.hasChanges)

                let draft = ManagedObjectContext(parent: context)
                let copy = try draft.existingObject(with: entry.objectID)
                copy["day"] = 3
                #expect(entry.day == 1)
                try draft.save()
                #expect(entry.day == 3 && context.hasChanges)
                context.rollback()
                #expect(entry.day == 1)
            }

            @Test func history() throws {
                let container = try container()
                let context = container.viewContext
                let token = try #require(try container.persistentStoreCoordinator.currentPersistentHistoryToken())
                context.transactionAuthor = "reader"
                let entry = Entry(context: context)
                try context.save()
                entry.day = 7
                try context.save()
                let transactions = try context.fetchHistory(PersistentHistoryRequest(after: token))
                #expect(transactions.map(\.author) == ["reader", "reader"])
                #expect(transactions.flatMap(\.changes).map(\.kind) == [.insert, .update])
                #expect(transactions.last?.changes.first?.updatedProperties == ["day"])
            }

            @Test func fetchedResults() throws {
                let context = try container().viewContext
                var request = FetchRequest<ManagedObject>(entityName: "Entry")
                request.sortDescriptors = [SortKey("day")]
                let results = FetchedResultsController(fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil)
                var counts: [Int] = []
                let observation = results.observe { counts.append($0.objects.count) }
                try results.performFetch()
                for day in [2, 1] { Entry(context: context).day = day }
                context.processPendingChanges()
                #expect(results.fetchedObjects?.map { $0["day"] as? Int } == [1, 2] && counts == [2])
                observation.cancel()
            }

            @Test func migration() async throws {
                let url = try url("Notes.folio")
                let old = try await PersistentDocument.create(at: url, model: NotesV1.model(), classes: NotesV1.classes)
                NotesV1.Note(context: old.context).text = "So far, so good."
                try await old.save()
                try await old.close()
                let route = try PersistentDocument.MigrationRoute(by: NotesPlan.self)
                #expect(try await PersistentDocument.migrationPlan(of: url, by: route).isNeeded)
                let document = try await NotesDocument.open(url)
                #expect(try document.context.fetch(NotesV2.Note.self).map(\.length) == [16])
                #expect(try document.versions().count == 2)
                try await document.close()
            }
        }
        """#
}
