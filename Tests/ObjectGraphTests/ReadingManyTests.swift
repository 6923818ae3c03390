import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// What is read in bulk over a SQLite store: members of many owners, windows of many sorted rows,
/// counts.
struct ReadingManyTests {
    private static let owners = 80
    private static let members = 2_000

    /// The department of a member, in an order of its own; every fifth member has none.
    private static func department(_ number: Int) -> Int? { number % 5 == 0 ? nil : number * 37 % owners }

    /// - Parameter hasIndex: Whether an index gives the members of a department in another order
    ///   than that of their numbers.
    private func withStaff(hasIndex: Bool = false, _ body: (_ context: ManagedObjectContext) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let model = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Department", attributes: [.init("number", .integer64)],
                    relationships: [.init("employees", to: "Employee", inverse: "department", maxCount: 0)]),
                EntityDefinition(
                    "Employee",
                    attributes: [.init("number", .integer64), .init("salary", .integer64), .init("name", .string)],
                    relationships: [.init("department", to: "Department", inverse: "employees")],
                    indexes: hasIndex
                        ? [
                            FetchIndexDescription(
                                "byDepartment",
                                elements: [.init(propertyName: "department"), .init(propertyName: "salary")])
                        ]
                        : [FetchIndexDescription("bySalary", elements: [.init(propertyName: "salary")])]),
            ])
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model, classes: [:], factories: [])
            coordinator.add(
                try SQLitePersistentStore.create(
                    PersistentStoreDescription(url: directory.appendingPathComponent("s.sqlite")), model: model))
            let writer = ManagedObjectContext(coordinator)
            let departments = try (0..<Self.owners).map { number in
                let department = try writer.insert("Department")
                department["number"] = number
                return department
            }
            for number in 0..<Self.members {
                let employee = try writer.insert("Employee")
                employee["number"] = number
                employee["salary"] = number % 7 == 0 ? 1 : 1_000 - number % 10
                employee["name"] = "Employee \(number)"
                employee["department"] = Self.department(number).map { departments[$0] }
            }
            try writer.save()
            try body(ManagedObjectContext(coordinator))
        }
    }

    private func check(_ departments: [ManagedObject]) throws {
        let members = try departments[0].entity.toMany("employees")
        #expect(departments.count == Self.owners)
        for department in departments {
            let number = department["number"] as? Int
            let found = department[members].compactMap { $0["number"] as? Int }
            #expect(found == (0..<Self.members).filter { Self.department($0) == number })
            #expect(department[members].allSatisfy { $0["department"] as? ManagedObject === department })
        }
    }

    @Test(arguments: [false, true]) func membersOfManyOwnersComeInTheOrderOfTheirNumbers(hasIndex: Bool) throws {
        try withStaff(hasIndex: hasIndex) { context in
            var request = FetchRequest<ManagedObject>(entityName: "Department")
            request.relationshipKeyPathsForPrefetching = ["employees"]
            try check(try context.fetch(request))
        }
    }
}

extension ReadingManyTests {
    @Test func membersOfManyOwnersComeWithTheFirstOfThem() throws {
        try withStaff { context in try check(try context.fetch(FetchRequest<ManagedObject>(entityName: "Department"))) }
    }

    @Test func membersThatAreKnownStayTheSameObjects() throws {
        try withStaff { context in
            let known = try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
            known[1]["name"] = "Changed"
            let departments = try context.fetch(FetchRequest<ManagedObject>(entityName: "Department"))
            try check(departments)
            let members = try departments[0].entity.toMany("employees")
            let all = Set(departments.flatMap { Array($0[members]) })
            #expect(all.isSubset(of: known) && all.contains(known[1]))
            #expect(known[1]["name"] as? String == "Changed")
        }
    }

    /// Some more rows fit than are wanted, then many more, which makes the store take the other
    /// way.
    @Test(arguments: [1, 1_000]) func theFirstOfManySortedRows(salary: Int) throws {
        try withStaff { context in
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            request.predicate = try FetchPredicate(format: salary == 1 ? "salary == 1" : "salary > 1")
            request.sortDescriptors = [SortKey("number", ascending: false)]
            for limit in [100, 64, 3, 100, 400] {
                request.fetchLimit = limit
                let wanted = (0..<Self.members).filter { ($0 % 7 == 0) == (salary == 1) }.reversed().prefix(limit)
                let held = try context.fetch(request)
                #expect(held.map { $0["number"] as? Int } == wanted.map { $0 })
                // Most rows are known now.
                let again = try context.fetch(request)
                let isSame = again.elementsEqual(held, by: ===)
                #expect(isSame)
                #expect(try context.count(for: request) == wanted.count)
                request.fetchOffset = 2
                #expect(
                    try context.fetch(request).map { $0["number"] as? Int }
                        == (0..<Self.members).filter { ($0 % 7 == 0) == (salary == 1) }.reversed().dropFirst(2).prefix(
                            limit
                        ).map { $0 })
                request.fetchOffset = 0
            }
        }
    }

    @Test func aConditionIsCounted() throws {
        try withStaff { context in
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            for (format, count) in [
                ("salary == 1", 286), ("salary == 1 AND number < 70", 10), ("department == nil", 400),
                ("department.number == 1", 25), ("number IN {1, 2, 5000}", 2),
            ] {
                request.predicate = try FetchPredicate(format: format)
                #expect(try context.count(for: request) == context.fetch(request).count)
                #expect(try context.count(for: request) == count)
            }
        }
    }
}
