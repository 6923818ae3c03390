import Folio
import Foundation
import TestSupport
import Testing

/// The first program that everyone writes: students are made, saved, listed, one is deleted, the
/// rest is listed.
@Suite("Classic program: Student")
struct StudentTests {
    @Test func twoStudentsOneLeaves() throws {
        try withTemporaryDirectory { folder in
            let model = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Student", attributes: [.init("name", .string, isOptional: false), .init("age", .integer16)])
            ])
            let container = PersistentContainer(name: "School", managedObjectModel: model)
            container.persistentStoreDescriptions = [
                PersistentStoreDescription(url: folder.appendingPathComponent("School.sqlite"))
            ]
            try container.loadPersistentStores()
            let context = container.viewContext

            for (name, age) in [("Ada", 36), ("Grace", 85)] {
                let student = try context.insert("Student")
                student["name"] = name
                student["age"] = age
            }
            try context.save()

            var request = FetchRequest<ManagedObject>(entityName: "Student")
            request.sortDescriptors = [SortKey("name")]
            let students = try context.fetch(request)
            #expect(students.map { "\($0["name"]!) \($0["age"]!)" } == ["Ada 36", "Grace 85"])

            context.delete(students[0])
            try context.save()
            #expect(try context.fetch(request).map { $0["name"] as? String } == ["Grace"])
            #expect(try container.newBackgroundContext().count(for: request) == 1)
        }
    }
}
