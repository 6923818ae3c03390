import Folio
import Foundation
import TestSupport
import Testing

@Suite("A container")
struct ContainerTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition("Student", attributes: [.init("name", .string), .init("age", .integer16)])
        ])
    }

    @Test func keepsObjectsInAFile() throws {  // S50
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("new/School.sqlite")
            let container = PersistentContainer(name: "School", managedObjectModel: try model())
            container.persistentStoreDescriptions = [PersistentStoreDescription(url: url)]
            try container.loadPersistentStores()
            #expect(
                container.viewContext.parent == nil && container.viewContext.queryGenerationToken == nil
                    && container.viewContext.undoManager == nil)
            #expect(!container.viewContext.automaticallyMergesChangesFromParent)
            let student = try container.viewContext.insert("Student")
            student["name"] = "Ada"
            try container.viewContext.save()

            let again = PersistentContainer(name: "School", managedObjectModel: try model())
            again.persistentStoreDescriptions = [PersistentStoreDescription(url: url)]
            try again.loadPersistentStores()
            #expect(
                try again.viewContext.fetch(FetchRequest<ManagedObject>(entityName: "Student")).map {
                    $0["name"] as? String
                } == [
                    "Ada"
                ])
        }
    }

    @MainActor @Test func runsBackgroundTasksSideBySideFromTheMainActor() async throws {
        try await withFolder { folder in
            let container = PersistentContainer(name: "School", managedObjectModel: try model())
            container.persistentStoreDescriptions = [
                PersistentStoreDescription(url: folder.appendingPathComponent("School.sqlite"))
            ]
            try container.loadPersistentStores()
            container.viewContext.automaticallyMergesChangesFromParent = true
            let coordinator = container.persistentStoreCoordinator
            @Sendable func add(_ ages: Range<Int>, _ context: ManagedObjectContext) throws -> Int {
                for age in ages { try context.insert("Student")["age"] = age }
                try context.save()
                return ages.count
            }
            async let young = coordinator.performBackgroundTask { try add(10..<20, $0) }
            async let old = coordinator.performBackgroundTask { try add(60..<70, $0) }
            let counts = try await [young, old]
            #expect(counts == [10, 10])
            #expect(try container.viewContext.count(for: FetchRequest<ManagedObject>(entityName: "Student")) == 20)
        }
    }

    @Test func worksInTheBackground() async throws {
        try await withFolder { folder in
            let container = PersistentContainer(name: "School", managedObjectModel: try model())
            container.persistentStoreDescriptions = [
                PersistentStoreDescription(url: folder.appendingPathComponent("School.sqlite"))
            ]
            try container.loadPersistentStores()
            let count = try await container.performBackgroundTask { context in
                for age in 20..<30 { try context.insert("Student")["age"] = age }
                try context.save()
                return try context.count(for: FetchRequest<ManagedObject>(entityName: "Student"))
            }
            #expect(count == 10)
            container.viewContext.automaticallyMergesChangesFromParent = true
            let student = try #require(
                try container.viewContext.fetch(FetchRequest<ManagedObject>(entityName: "Student")).first)
            let id = student.objectID, age = student["age"] as? Int ?? 0
            try await container.performBackgroundTask { context in
                try context.existingObject(with: id)["age"] = age + 100
                try context.save()
            }
            #expect(student["age"] as? Int == age + 100)
            #expect(try container.viewContext.fetch(FetchRequest<ManagedObject>(entityName: "Student")).count == 10)
        }
    }
}
