import Folio
import Foundation
import TestSupport
import Testing

enum ShelfV1: VersionedSchema {
    static var versionIdentifier: SchemaVersion { SchemaVersion(1, 0, 0) }
    static var models: [ManagedObject.Type] { [Item.self] }

    @Model final class Item: ManagedObject {
        var title: String = ""
        @Attribute(.externalStorage) var cover: LargeValue?
    }
}

enum ShelfV2: VersionedSchema {
    static var versionIdentifier: SchemaVersion { SchemaVersion(2, 0, 0) }
    static var models: [ManagedObject.Type] { [Item.self] }

    @Model final class Item: ManagedObject {
        @Attribute(originalName: "title") var name: String = ""
        @Attribute(.externalStorage) var cover: LargeValue?
        var initial: String = ""
    }
}

enum ShelfV3: VersionedSchema {
    static var versionIdentifier: SchemaVersion { SchemaVersion(3, 0, 0) }
    static var models: [ManagedObject.Type] { [Item.self] }

    @Model final class Item: ManagedObject {
        var name: String = ""
        @Attribute(.externalStorage) var cover: LargeValue?
        var initial: String = ""
        var pages: Int = 0
    }
}

/// The first stage has work of its own after it, the second is inferred.
enum ShelfPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, ShelfV2.self, ShelfV3.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: ShelfV1.self, toVersion: ShelfV2.self,
                willMigrate: { context in
                    for item in try context.fetch(ShelfV1.Item.self, where: \.title == "") { context.delete(item) }
                    try context.save()
                },
                didMigrate: { context in
                    for item in try context.fetch(ShelfV2.Item.self) {
                        item.initial = String(item.name.prefix(1))
                        // The large value is read and another one written.
                        if let cover = item.cover { item.cover = LargeValue(Data(try cover.data().reversed())) }
                    }
                    try context.save()
                })
        ]
    }
}

/// Its last step fails when all the others are done.
enum StuckPlan: SchemaMigrationPlan {
    struct Stuck: Error {}
    static var schemas: [any VersionedSchema.Type] { ShelfPlan.schemas }
    static var stages: [MigrationStage] {
        ShelfPlan.stages + [
            .custom(fromVersion: ShelfV2.self, toVersion: ShelfV3.self, willMigrate: nil) { context in
                _ = try context.fetch(ShelfV3.Item.self)
                throw Stuck()
            }
        ]
    }
}

/// Nothing but inferred steps.
enum PlainPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { ShelfPlan.schemas }
    static var stages: [MigrationStage] { [] }
}

final class ShelfDocument: PersistentDocument {
    override class var migrationPlan: (any SchemaMigrationPlan.Type)? { ShelfPlan.self }
}

final class CautiousShelfDocument: PersistentDocument {
    override class var migrationPlan: (any SchemaMigrationPlan.Type)? { ShelfPlan.self }
    override class var migrationPolicy: MigrationPolicy { .refuse }
}

/// Documents of typed versions that are brought to the newest when they are opened.
@Suite(.serialized) struct DocumentPlanTests {
    private static let cover = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    private static let forms: [DocumentForm] = [.package, .archive, .store, .binaryStore]

    private func make(_ url: URL, _ form: DocumentForm) async throws {
        let document = try await PersistentDocument.create(
            at: url, model: ShelfV1.model(), form: form, classes: ShelfV1.classes)
        for title in ["Eden", "", "Solaris"] {
            let item = ShelfV1.Item(context: document.context)
            item.title = title
            if title == "Eden" { item.cover = LargeValue(Self.cover) }
        }
        try await document.save()
        try await document.close()
    }

    private func files(_ folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasSuffix(".lock") {
            files[name] = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
        }
        return files
    }

    private func check(_ document: PersistentDocument) throws {
        #expect(document.model.definition.versionIdentifiers == ["3.0.0"])
        let items = try document.context.fetch(ShelfV3.Item.self, sort: [.ascending(\.name)])
        #expect(
            items.map(\.name) == ["Eden", "Solaris"] && items.map(\.initial) == ["E", "S"]
                && items.map(\.pages) == [0, 0])
        #expect(try items.first?.cover?.data() == Data(Self.cover.reversed()) && items.last?.cover == nil)
    }

    @Test(arguments: forms) func aClassWithAPlanOpensOlderDocumentsInItsNewestVersion(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.shelf")
            try await make(url, form)
            for isFirst in [true, false] {
                let document = try await ShelfDocument.open(url)
                try check(document)
                #expect(document.mode == .editing)
                if isFirst, form == .package { #expect(try document.versions().contains { $0.reason == .migration }) }
                try await document.close()
            }
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            #expect(!(try files(folder)).keys.contains { $0.contains("tmp-") })
        }
    }

    @Test func objectsKeepTheirNumbers() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.shelf")
            try await make(url, .package)
            let before = try await PersistentDocument.open(url, mode: .reading, classes: ShelfV1.classes)
            let old = try before.context.fetch(ShelfV1.Item.self, where: \.title != "", sort: [.ascending(\.title)]).map
            { "\($0.objectID.uriRepresentation())" }
            try await before.close()
            let document = try await ShelfDocument.open(url)
            #expect(
                try document.context.fetch(ShelfV3.Item.self, sort: [.ascending(\.name)]).map {
                    "\($0.objectID.uriRepresentation())"
                } == old)
            try await document.close()
        }
    }

    @Test(arguments: forms) func readingShowsAMigratedCopyAndWritesNothing(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.shelf")
            try await make(url, form)
            let before = try files(folder)
            let view = try await ShelfDocument.open(url, mode: .reading)
            try check(view)
            try await view.close()
            #expect(try files(folder) == before)
            let refused = await #expect(throws: DocumentError.self) { _ = try await CautiousShelfDocument.open(url) }
            #expect(refused?.code == .modelMismatch)
            #expect(try files(folder) == before)
        }
    }
}

extension DocumentPlanTests {
    @Test(arguments: forms) func whatAHandlerThrowsLeavesTheDocumentAsItWas(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.shelf")
            try await make(url, form)
            let stuck = try PersistentDocument.MigrationRoute(by: StuckPlan.self)
            await #expect(throws: StuckPlan.Stuck.self) {
                _ = try await PersistentDocument.open(url, by: stuck, migration: .automatic)
            }
            let document = try await PersistentDocument.open(url, mode: .reading, classes: ShelfV1.classes)
            #expect(document.model.definition.versionIdentifiers == ["1.0.0"])
            let items = try document.context.fetch(ShelfV1.Item.self, sort: [.ascending(\.title)])
            #expect(try items.map(\.title) == ["", "Eden", "Solaris"] && items[1].cover?.data() == Self.cover)
            try await document.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
            #expect(names == ["A.shelf"])
            // And it can be migrated yet.
            let later = try await ShelfDocument.open(url)
            try check(later)
            try await later.save()
            try await later.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func thePlanSaysItsStepsAndInferredOnesNeedNoObjects() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.shelf")
            try await make(url, .package)
            let staged = try await PersistentDocument.migrationPlan(of: url, by: .init(by: ShelfPlan.self))
            #expect(staged.stages == 2 && !staged.isInPlace && staged.steps.count == 2 && staged.rows == 6)
            #expect(staged.steps[0].contains("before and after it") && staged.steps[0].contains("1.0.0 → 2.0.0"))
            let plain = try await PersistentDocument.migrationPlan(of: url, by: .init(by: PlainPlan.self))
            #expect(plain.stages == 2 && plain.isInPlace)
            let document = try await PersistentDocument.open(url, by: .init(by: PlainPlan.self), migration: .automatic)
            #expect(try document.context.fetch(ShelfV3.Item.self).count == 3)
            try await document.close()
        }
    }

    @Test func newDocumentsAreOfTheNewestVersion() async throws {
        try await withFolder { folder in
            let document = try await ShelfDocument.create(at: folder.appendingPathComponent("New.shelf"))
            #expect(document.model.definition.versionIdentifiers == ["3.0.0"])
            ShelfV3.Item(context: document.context).name = "Fiasco"
            try await document.save()
            try await document.close()
            let none = await #expect(throws: DocumentError.self) {
                _ = try await PersistentDocument.create(at: folder.appendingPathComponent("Other.shelf"))
            }
            #expect(none?.code == .usage)
        }
    }

    @Test func aDocumentTypeWithAPlanMigratesByIt() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.shelf")
            try await make(url, .package)
            var type = try DocumentType(
                "Shelf", mimeType: "application/x-folio-shelf", extensions: ["shelf"], migrationPlan: ShelfPlan.self)
            type.migration = .readingCopy
            let viewer = try await DocumentController(application: "folio-tests-shelf", types: [type]).open(url)
            try check(viewer)
            #expect(viewer.mode == .reading)
            try await viewer.close()
            type.migration = .automatic
            let document = try await DocumentController(application: "folio-tests-shelf", types: [type]).open(url)
            try check(document)
            try await document.close()
        }
    }
}
