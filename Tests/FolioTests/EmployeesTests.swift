import Folio
import Foundation
import TestSupport
import Testing

/// Employees in departments: fetched by salary with a condition on the department, edited, undone,
/// redone, saved.
@Suite("Classic program: Employees in Departments")
struct EmployeesTests {
    @Test func raisesCanBeTakenBack() throws {
        try withTemporaryDirectory { folder in
            let model = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Department", attributes: [.init("name", .string)],
                    relationships: [
                        .init("employees", to: "Employee", inverse: "department", maxCount: 0, deleteRule: .deny)
                    ]),
                EntityDefinition(
                    "Employee",
                    attributes: [.init("name", .string), .init("salary", .decimal, minimumValue: .decimal(0))],
                    relationships: [.init("department", to: "Department", inverse: "employees")]),
            ])
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("Company.sqlite")))
            let context = ManagedObjectContext(coordinator)
            for (department, people) in [
                ("Engineering", [("Ada", 900), ("Grace", 1200), ("Edsger", 1100)]), ("Sales", [("Willy", 700)]),
            ] {
                let group = try context.insert("Department")
                group["name"] = department
                for (name, salary) in people {
                    let employee = try context.insert("Employee")
                    employee["name"] = name
                    employee["salary"] = salary
                    group.mutableSetValue(forKey: "employees").add(employee)
                }
            }
            try context.save()

            context.undoManager = UndoManager()
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            request.predicate = try FetchPredicate(format: "department.name == %@", "Engineering")
            request.sortDescriptors = [SortKey("salary", ascending: false)]
            func list() throws -> [String] { try context.fetch(request).map { "\($0["name"]!) \($0["salary"]!)" } }
            #expect(try list() == ["Grace 1200", "Edsger 1100", "Ada 900"])

            let ada = try #require(context.fetch(request).last)
            ada["salary"] = 1500
            context.processPendingChanges()
            #expect(try list() == ["Ada 1500", "Grace 1200", "Edsger 1100"])
            let sales = try #require(
                context.fetch(FetchRequest<ManagedObject>(entityName: "Department")).first {
                    $0["name"] as? String == "Sales"
                })
            ada["department"] = sales
            context.processPendingChanges()
            #expect(try list() == ["Grace 1200", "Edsger 1100"])
            context.undo()
            #expect(try list() == ["Ada 1500", "Grace 1200", "Edsger 1100"])
            context.undo()
            #expect(try list() == ["Grace 1200", "Edsger 1100", "Ada 900"])
            context.redo()
            try context.save()
            #expect(!context.hasChanges)

            let reader = ManagedObjectContext(coordinator)
            #expect(try reader.fetch(request).map { $0["name"] as? String } == ["Ada", "Grace", "Edsger"])

            context.delete(sales)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .deleteDenied)
            context.rollback()
            #expect(!sales.isDeleted && (sales["employees"] as? Set<ManagedObject>)?.count == 1)
        }
    }

    @Test func theCompanyIsInTwoStores() throws {
        try withTemporaryDirectory { folder in
            var description = ManagedObjectModel.Definition()
            description.entities = [
                EntityDefinition(
                    "Department", attributes: [.init("name", .string)],
                    relationships: [.init("employees", to: "Employee", inverse: "department", maxCount: 0)]),
                EntityDefinition(
                    "Employee", attributes: [.init("name", .string), .init("salary", .integer32)],
                    relationships: [.init("department", to: "Department", inverse: "employees")]),
            ]
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try ManagedObjectModel(description))
            let berlin = try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("Berlin.sqlite")))
            let paris = try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("Paris.xml"), type: .xml))
            let context = ManagedObjectContext(coordinator)
            for (place, people) in [
                (berlin, [("Ada", 900), ("Grace", 1200)]), (paris, [("Edsger", 1100), ("Alan", 800)]),
            ] {
                let department = try context.insert("Department")
                try context.assign(department, to: place)
                department["name"] = place.url.lastPathComponent
                for (name, salary) in people {
                    let employee = try context.insert("Employee")
                    try context.assign(employee, to: place)
                    employee["name"] = name
                    employee["salary"] = salary
                    employee["department"] = department
                }
            }
            try context.save()
            try coordinator.removePersistentStores()

            try coordinator.addPersistentStore(berlin.storeDescription)
            try coordinator.addPersistentStore(paris.storeDescription)
            let reader = ManagedObjectContext(coordinator)
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            request.sortDescriptors = [SortKey("salary", ascending: false)]
            request.fetchLimit = 3
            #expect(try reader.fetch(request).map { $0["name"] as? String } == ["Grace", "Edsger", "Ada"])
            request.predicate = try FetchPredicate(format: "department.name == 'Paris.xml'")
            let parisians = try reader.fetch(request)
            #expect(parisians.map { $0["name"] as? String } == ["Edsger", "Alan"])
            parisians[0]["department"] = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Department")).first {
                $0["name"] as? String == "Berlin.sqlite"
            }
            let error = #expect(throws: StorageError.self) { try reader.save() }
            #expect(error?.code == .crossStore)
        }
    }
}
