import Folio
import Foundation
import TestSupport
import Testing

enum LibraryV1: VersionedSchema {
    static var versionIdentifier: SchemaVersion { SchemaVersion(1, 0, 0) }
    static var models: [ManagedObject.Type] { [Work.self] }

    @Model final class Work: ManagedObject {
        var title: String = ""
        var maker: String?
    }
}

enum LibraryV2: VersionedSchema {
    static var versionIdentifier: SchemaVersion { SchemaVersion(1, 1, 0) }
    static var models: [ManagedObject.Type] { [Work.self] }

    @Model final class Work: ManagedObject {
        @Attribute(originalName: "title") var name: String = ""
        var maker: String?
        var length: Int = 0
        var author: Author?
    }

    @Model final class Author: ManagedObject {
        var name: String = ""
        var works: Set<Work>
    }
}

enum LibraryV3: VersionedSchema {
    static var versionIdentifier: SchemaVersion { SchemaVersion(2, 0, 0) }
    static var models: [ManagedObject.Type] { [Work.self] }

    @Model final class Work: ManagedObject {
        var name: String = ""
        var length: Int = 0
        var author: Author?
    }

    @Model final class Author: ManagedObject {
        @Attribute(.unique) var name: String = ""
        var works: Set<Work>
    }
}

enum LibraryPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self, LibraryV3.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: LibraryV1.self, toVersion: LibraryV2.self,
                willMigrate: { context in
                    for work in try context.fetch(LibraryV1.Work.self, where: \.maker == "") { work.maker = nil }
                    try context.save()
                },
                didMigrate: { context in
                    for work in try context.fetch(LibraryV2.Work.self) {
                        work.length = work.name.count
                        guard let maker = work.maker else { continue }
                        let author =
                            try context.first(LibraryV2.Author.self, where: \.name == maker)
                            ?? LibraryV2.Author(context: context)
                        (author.name, work.author) = (maker, author)
                    }
                    try context.save()
                })
        ]
    }
}

/// Stores of typed versions brought to the newest.
struct SchemaMigrationTests {
    private func fill(_ store: URL, _ works: [(String, String?)]) throws {
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try LibraryV1.model(), classes: LibraryV1.classes)
        container.persistentStoreDescriptions = [PersistentStoreDescription(url: store)]
        try container.loadPersistentStores()
        for (title, maker) in works {
            let work = LibraryV1.Work(context: container.viewContext)
            (work.title, work.maker) = (title, maker)
        }
        try container.viewContext.save()
        try container.persistentStoreCoordinator.removePersistentStores()
    }

    private func open(_ store: URL, _ plan: any SchemaMigrationPlan.Type) throws -> PersistentContainer {
        let container = try PersistentContainer(name: "Library", migrationPlan: plan)
        container.persistentStoreDescriptions = [PersistentStoreDescription(url: store)]
        try container.loadPersistentStores()
        return container
    }

    @Test func aContainerBringsItsStoreToTheNewestVersion() throws {
        try withTemporaryDirectory { folder in
            let store = folder.appendingPathComponent("Library.sqlite")
            try fill(store, [("Solaris", "Lem"), ("Eden", "Lem"), ("Beowulf", ""), ("Dune", "Herbert")])
            for _ in 0..<2 {
                let container = try open(store, LibraryPlan.self)
                let works = try container.viewContext.fetch(LibraryV3.Work.self, sort: [.ascending(\.name)])
                #expect(
                    works.map(\.name) == ["Beowulf", "Dune", "Eden", "Solaris"] && works.map(\.length) == [7, 4, 4, 7])
                #expect(
                    works.map(\.author?.name) == [nil, "Herbert", "Lem", "Lem"] && works[2].author === works[3].author)
                try container.persistentStoreCoordinator.removePersistentStores()
            }
        }
    }

    @Test func aNewStoreIsOfTheNewestVersion() throws {
        try withTemporaryDirectory { folder in
            let container = try open(folder.appendingPathComponent("New.sqlite"), LibraryPlan.self)
            #expect(container.managedObjectModel.definition.versionIdentifiers == ["2.0.0"])
            #expect(try container.viewContext.count(LibraryV3.Author.self) == 0)
        }
    }

    @Test func stepsWithoutAStageAreInferred() throws {
        let manager = try LibraryPlan.migrationManager()
        #expect(manager.stages.map(\.name) == ["1.0.0 → 1.1.0", "1.1.0 → 2.0.0"])
        #expect(try Unstaged.migrationManager().stages.map(\.versions.count) == [3])
    }

    @Test func plansThatContradictThemselvesAreRefused() throws {
        for plan in [Backward.self, Elsewhere.self, Broken.self] as [any SchemaMigrationPlan.Type] {
            let error = #expect(throws: MigrationError.self) { try plan.migrationManager() }
            #expect(error?.code == .invalidMapping, "\(plan)")
        }
        #expect(throws: MigrationError.self) { try PersistentContainer(name: "None", migrationPlan: Empty.self) }
    }

    private enum Unstaged: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { LibraryPlan.schemas }
        static var stages: [MigrationStage] { [] }
    }

    private enum Empty: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [] }
        static var stages: [MigrationStage] { [] }
    }

    /// The newest version stands first.
    private enum Backward: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { LibraryPlan.schemas.reversed() }
        static var stages: [MigrationStage] { [] }
    }

    /// Its stage begins with a version that it does not name.
    private enum Elsewhere: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [LibraryV2.self, LibraryV3.self] }
        static var stages: [MigrationStage] { [.lightweight(fromVersion: LibraryV1.self, toVersion: LibraryV2.self)] }
    }

    /// One of its versions names a class that declares no entity.
    private enum Broken: SchemaMigrationPlan {
        enum Wrong: VersionedSchema {
            static var versionIdentifier: SchemaVersion { SchemaVersion(3, 0, 0) }
            static var models: [ManagedObject.Type] { [ManagedObject.self] }
        }

        static var schemas: [any VersionedSchema.Type] { [LibraryV3.self, Wrong.self] }
        static var stages: [MigrationStage] { [] }
    }
}
