import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// Members that go with their owners and that nobody has: the store deletes them unread, and nobody
/// can tell.
struct MemberDeletionTests {
    private static func model(_ change: (inout [EntityDefinition]) -> Void = { _ in }) throws -> ManagedObjectModel {
        var entities = [
            EntityDefinition(
                "Department", attributes: [.init("name", .string)],
                relationships: [
                    .init("employees", to: "Employee", inverse: "department", maxCount: 0, deleteRule: .cascade)
                ]),
            EntityDefinition(
                "Employee", attributes: [.init("name", .string), .init("salary", .integer64)],
                relationships: [.init("department", to: "Department", inverse: "employees")]),
        ]
        change(&entities)
        return try ManagedObjectModel(entities: entities)
    }

    /// A context of its own on a store with three departments of four, and one employee without
    /// any.
    private func withStaff(
        _ model: ManagedObjectModel? = nil, tracksHistory: Bool = false,
        _ body: (ManagedObjectContext, PersistentStoreCoordinator, SQLitePersistentStore) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let model = try model ?? Self.model()
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model, classes: [:], factories: [])
            var description = PersistentStoreDescription(url: directory.appendingPathComponent("staff.sqlite"))
            description.tracksHistory = tracksHistory
            let store = try SQLitePersistentStore.create(description, model: model)
            coordinator.add(store)
            let writer = ManagedObjectContext(coordinator)
            for number in 0..<3 {
                let department = try writer.insert("Department")
                department["name"] = "D\(number)"
                for place in 0..<4 {
                    let employee = try writer.insert("Employee")
                    employee["name"] = "E\(number)\(place)"
                    employee["salary"] = place
                    employee["department"] = department
                }
            }
            try writer.insert("Employee")["name"] = "free"
            try writer.save()
            try body(ManagedObjectContext(coordinator), coordinator, store)
        }
    }

    private func departments(_ context: ManagedObjectContext, _ names: String...) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Department")).filter {
            names.contains($0["name"] as? String ?? "")
        }
    }

    private func names(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).compactMap { $0["name"] as? String }
            .sorted()
    }

    private func left(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
        try names(ManagedObjectContext(coordinator))
    }

    private func prepare(_ context: ManagedObjectContext) throws -> PreparedSave {
        try #require(try context.prepareSave(deletesMembers: true))
    }

    @Test func theyAreDeletedUnread() throws {
        try withStaff { context, coordinator, store in
            for department in try departments(context, "D0", "D2") { context.delete(department) }
            let prepared = try prepare(context)
            #expect(
                prepared.changes.memberDeletions.map(\.owners.count) == [2] && prepared.changes.deletions.count == 2)
            let receipt = try store.apply(prepared.changes)
            #expect(receipt.deletedMembers == [8])
            context.completeSave(prepared, receipt)
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
            #expect(try left(coordinator) == ["E10", "E11", "E12", "E13", "free"])
        }
    }
}

extension MemberDeletionTests {
    @Test func aTableIsEmptiedAsAWhole() throws {
        try withStaff { context, coordinator, store in
            for employee in try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
            where employee["department"] == nil { context.delete(employee) }
            try context.save()
            let other = ManagedObjectContext(coordinator)
            for department in try departments(other, "D0", "D1", "D2") { other.delete(department) }
            let prepared = try prepare(other)
            let receipt = try store.apply(prepared.changes)
            #expect(receipt.deletedMembers == [12])
            other.completeSave(prepared, receipt)
            #expect(try left(coordinator) == [] && departments(other, "D0", "D1", "D2").isEmpty)
        }
    }

    @Test func oneThatSomebodyHasIsDeletedAsAnObject() throws {
        try withStaff { context, coordinator, store in
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            request.predicate = try FetchPredicate(format: "name == 'E01'")
            let known = try #require(try context.fetch(request).first)
            for department in try departments(context, "D0") { context.delete(department) }
            let prepared = try prepare(context)
            #expect(prepared.changes.memberDeletions.isEmpty && prepared.changes.deletions.count == 5)
            context.completeSave(prepared, try store.apply(prepared.changes))
            #expect(known.managedObjectContext == nil)
            // One of another department is in nobody's way.
            let other = ManagedObjectContext(coordinator)
            request.predicate = try FetchPredicate(format: "name == 'E11'")
            let stays = try #require(try other.fetch(request).first)
            for department in try departments(other, "D2") { other.delete(department) }
            #expect(try prepare(other).changes.memberDeletions.count == 1)
            #expect(stays.object("department")?["name"] as? String == "D1")
        }
    }

    @Test func unsavedChangesOfMembersAreHeeded() throws {
        try withStaff { context, _, _ in
            let new = try context.insert("Employee")
            let department = try #require(try departments(context, "D0").first)
            new["department"] = department
            context.delete(department)
            let prepared = try prepare(context)
            #expect(
                prepared.changes.memberDeletions.isEmpty && prepared.changes.deletions.count == 5
                    && prepared.changes.insertions.isEmpty)
        }
    }

    @Test func whoeverListensHearsOfEach() throws {
        try withStaff { context, _, _ in
            var deleted = 0
            let observation = context.observe(.didSave) { deleted = $0.deleted.count }
            for department in try departments(context, "D0") { context.delete(department) }
            try withExtendedLifetime(observation) { try context.save() }
            #expect(deleted == 5)
        }
        try withStaff { context, coordinator, store in
            let follower = ManagedObjectContext(coordinator)
            follower.automaticallyMergesChangesFromParent = true
            let held = try follower.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
            for department in try departments(context, "D0", "D1", "D2") { context.delete(department) }
            try context.save()
            follower.processPendingChanges()
            #expect(held.count { $0.isDeleted || $0.managedObjectContext == nil } == 12)
        }
    }
}

extension MemberDeletionTests {
    @Test func undoBringsThemBack() throws {
        try withStaff { context, coordinator, _ in
            context.undoManager = UndoManager()
            for department in try departments(context, "D0", "D1") { context.delete(department) }
            try context.save()
            #expect(try left(coordinator).count == 5)
            context.undo()
            try context.save()
            #expect(try left(coordinator).count == 13)
        }
    }

    @Test func historyNamesEach() throws {
        try withStaff(tracksHistory: true) { context, _, _ in
            for department in try departments(context, "D0") { context.delete(department) }
            #expect(try prepare(context).changes.memberDeletions.isEmpty)
        }
    }

    @Test func whatLeadsOnIsRead() throws {
        let changes: [(inout [EntityDefinition]) -> Void] = [
            {
                $0[1].relationships.append(.init("tasks", to: "Task", inverse: "doer", maxCount: 0));
                $0.append(EntityDefinition("Task", relationships: [.init("doer", to: "Employee", inverse: "tasks")]))
            },
            { $0[0].relationships.append(.init("head", to: "Employee")) },
            { $0.append(EntityDefinition("Manager", superentityName: "Employee")) },
            { $0[1].attributes.append(.init("photo", .binary, allowsExternalBinaryDataStorage: true)) },
            { $0[0].relationships[0].isOrdered = true },
            { $0[0].relationships[0].deleteRule = .nullify },
        ]
        for (number, change) in changes.enumerated() {
            try withStaff(Self.model(change)) { context, coordinator, store in
                for department in try departments(context, "D0") { context.delete(department) }
                let prepared = try prepare(context)
                #expect(prepared.changes.memberDeletions.isEmpty, "\(number)")
                context.completeSave(prepared, try store.apply(prepared.changes))
                #expect(try left(coordinator).count == (number == 5 ? 13 : 9), "\(number)")
            }
        }
    }

    @Test func whileTheyAreBeingDeletedNobodyFindsThem() throws {
        try withStaff { context, coordinator, store in
            let other = ManagedObjectContext(coordinator)
            let ids = try other.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).filter {
                ($0["name"] as? String)?.hasPrefix("E0") == true
            }.map(\.objectID)
            for department in try departments(context, "D0") { context.delete(department) }
            let prepared = try prepare(context)
            #expect(try names(context) == ["E10", "E11", "E12", "E13", "E20", "E21", "E22", "E23", "free"])
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Employee")) == 9)
            // By its ID one is what the store has until the commit.
            let met = try context.existingObject(with: ids[0])
            let receipt = try store.apply(prepared.changes)
            #expect(try names(context).count == 9)
            context.completeSave(prepared, receipt)
            context.processPendingChanges()
            #expect(met.isDeleted)
            try context.save()
            #expect(try names(context).count == 9 && left(coordinator).count == 9)
            #expect(throws: GraphError.self) { try context.existingObject(with: ids[1]) }
        }
    }

    @Test func aSaveThatFailsLeavesThemToTheNext() throws {
        try withStaff { context, coordinator, _ in
            let doomed = try departments(context, "D0", "D1")
            for department in doomed { try department.fulfillFault() }
            let other = ManagedObjectContext(coordinator)
            for department in try departments(other, "D1") { department["name"] = "renamed" }
            try other.save()
            for department in doomed { context.delete(department) }
            #expect(throws: GraphError.self) { try context.save() }
            #expect(try left(coordinator).count == 13)
            #expect(try names(context) == ["E20", "E21", "E22", "E23", "free"])
            #expect(context.deletedObjects.count == 10)
            context.mergePolicy = .overwrite
            try context.save()
            #expect(try left(coordinator) == ["E20", "E21", "E22", "E23", "free"])
        }
        // Given up, nothing is left of it.
        try withStaff { context, coordinator, _ in
            for department in try departments(context, "D0") { context.delete(department) }
            let prepared = try prepare(context)
            _ = context.failSave(prepared, CancellationError())
            context.rollback()
            #expect(try names(context).count == 13 && !context.hasChanges)
            try context.save()
            #expect(try left(coordinator).count == 13)
        }
    }
}

extension MemberDeletionTests {
    @Test func anInvalidObjectKeepsThemToo() throws {
        let model = try Self.model {
            $0[0].attributes.append(.init("code", .string, isOptional: false, defaultValue: .string("x")))
        }
        try withStaff(model) { context, coordinator, _ in
            for department in try departments(context, "D0") { context.delete(department) }
            let bad = try #require(try departments(context, "D1").first)
            bad["code"] = nil
            // Fetching has run the delete rules; begin again where nothing was read since.
            context.rollback()
            for department in try departments(context, "D0") { context.delete(department) }
            bad["code"] = nil
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(try left(coordinator).count == 13)
            bad["code"] = "y"
            try context.save()
            #expect(try left(coordinator).count == 9)
        }
    }

    @Test func membersThatMovedMeanwhileFollowTheStore() throws {
        try withStaff { context, coordinator, _ in
            let doomed = try departments(context, "D0")
            let other = ManagedObjectContext(coordinator)
            let target = try #require(try departments(other, "D1").first)
            for employee in try other.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
            where employee["name"] as? String == "E00" || employee["name"] as? String == "free" {
                employee["department"] =
                    employee["name"] as? String == "free" ? try departments(other, "D0").first : target
            }
            // Only the members are touched: the owner is as it was read.
            try other.save()
            for department in doomed { context.delete(department) }
            do { try context.save() } catch { context.mergePolicy = .overwrite; try context.save() }
            #expect(try left(coordinator) == ["E00", "E10", "E11", "E12", "E13", "E20", "E21", "E22", "E23"])
        }
    }
}
