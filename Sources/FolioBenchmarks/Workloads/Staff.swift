import CSQLite
import Folio
import Foundation

/// The objects of the workloads with relationships: departments, each with a hundred employees. An
/// employee's department has an index, as Core Data gives every to-one relationship; so has the
/// salary.
enum Staff {
    static let membersPerDepartment = 100

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Department", attributes: [AttributeDescription("name", .string, isOptional: false)],
                relationships: [
                    RelationshipDescription(
                        "employees", to: "Employee", inverse: "department", maxCount: 0, deleteRule: .cascade)
                ]),
            EntityDefinition(
                "Employee",
                attributes: [
                    AttributeDescription("name", .string, isOptional: false),
                    AttributeDescription("salary", .integer64, isOptional: false),
                    AttributeDescription("joined", .date),
                ], relationships: [RelationshipDescription("department", to: "Department", inverse: "employees")],
                indexes: [FetchIndexDescription("bySalary", elements: [.init(propertyName: "salary")])]),
        ])
    }

    static func name(_ index: Int) -> String { "Person " + String(index) }
    /// A thousand objects of a salary, whatever the size.
    static func salary(_ index: Int, size: Int) -> Int64 { Int64(index % max(1, size / 1_000)) }
    static func joined(_ index: Int) -> Double { Double(index &* 7_919 % 1_000_003) }

    /// Makes a document with so many employees.
    static func makeDocument(of size: Int, at url: URL) async throws {
        try await PersistentDocument.writeEmpty(at: url, model: model())
        let document = try await PersistentDocument.open(url)
        document.context.undoManager = nil
        guard let departments = document.model.entity(named: "Department"),
            let employees = document.model.entity(named: "Employee")
        else {
            throw BenchmarkError("the document has no staff")
        }
        let title: AttributeKey<String> = try departments.attribute("name"),
            name: AttributeKey<String> = try employees.attribute("name")
        let salary: AttributeKey<Int64> = try employees.attribute("salary"),
            joined: AttributeKey<Date> = try employees.attribute("joined")
        let place = try employees.toOne("department")
        for start in stride(from: 0, to: size, by: membersPerDepartment) {
            let department = ManagedObject(entity: departments, insertInto: document.context)
            department[title] = "Department " + String(start / membersPerDepartment)
            for index in start..<min(start + membersPerDepartment, size) {
                let employee = ManagedObject(entity: employees, insertInto: document.context)
                employee[name] = Self.name(index)
                employee[salary] = Self.salary(index, size: size)
                employee[joined] = Date(timeIntervalSinceReferenceDate: Self.joined(index))
                employee[place] = department
            }
        }
        try await document.save()
        try await document.close()
    }
}
