import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Members that stay rows until somebody looks at them: nobody sees a difference.
struct MemberRowsTests {
    private struct Staff {
        let coordinator: PersistentStoreCoordinator
        let context: ManagedObjectContext
        let departments: [ManagedObject]
        let employees: ObjectGraph.ToManyKey<ManagedObject>

        func number(_ employee: ManagedObject) -> Int { employee["number"] as? Int ?? -1 }
    }

    private static let departments = 20
    private static let members = 200

    /// - Parameter blocks: Whether the members of a department follow one another, more of them
    ///   than a page of an identity map has numbers; else the departments take turns.
    private func withStaff(prefetches: Bool = true, blocks: Bool = false, _ body: (Staff) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let model = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Department", attributes: [.init("number", .integer64)],
                    relationships: [
                        .init("employees", to: "Employee", inverse: "department", maxCount: 0, deleteRule: .cascade)
                    ]),
                EntityDefinition(
                    "Employee", attributes: [.init("number", .integer64), .init("name", .string)],
                    relationships: [
                        .init("department", to: "Department", inverse: "employees"),
                        .init("chief", to: "Employee", inverse: "staff"),
                        .init("staff", to: "Employee", inverse: "chief", maxCount: 0),
                    ]),
            ])
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model, classes: [:], factories: [])
            coordinator.add(
                try SQLitePersistentStore.create(
                    PersistentStoreDescription(url: directory.appendingPathComponent("s.sqlite")), model: model))
            let writer = ManagedObjectContext(coordinator)
            let departments = try (0..<Self.departments).map { number in
                let department = try writer.insert("Department")
                department["number"] = number
                return department
            }
            var chief: ManagedObject?
            let members = blocks ? 4_000 : Self.members
            for number in 0..<members {
                let employee = try writer.insert("Employee")
                employee["number"] = number
                employee["name"] = "Employee \(number)"
                employee["department"] = departments[blocks ? number * 3 / members : number % Self.departments]
                employee["chief"] = chief
                if number % 10 == 0 { chief = employee }
            }
            try writer.save()
            let context = ManagedObjectContext(coordinator)
            var request = FetchRequest<ManagedObject>(entityName: "Department")
            request.sortDescriptors = [SortKey("number")]
            if prefetches { request.relationshipKeyPathsForPrefetching = ["employees"] }
            let found = try context.fetch(request)
            try body(
                Staff(
                    coordinator: coordinator, context: context, departments: found,
                    employees: try found[0].entity.toMany("employees")))
        }
    }

    @Test(arguments: [false, true]) func everyMemberIsSeenOnceWhateverTheWayOfLooking(prefetches: Bool) throws {
        try withStaff(prefetches: prefetches) { staff in
            for (place, department) in staff.departments.enumerated() {
                let members = department[staff.employees]
                let expected = (0..<Self.members).filter { $0 % Self.departments == place }
                var walked: [Int] = []
                for member in members { walked.append(staff.number(member)) }
                #expect(walked == expected && members.count == expected.count)
                #expect(members.indices.map { staff.number(members[$0]) } == expected)
                #expect(members.reversed().map { staff.number($0) } == expected.reversed())
                #expect(members.dropFirst(3).prefix(2).map { staff.number($0) } == Array(expected[3..<5]))
                // Those that are kept are as many objects.
                let kept = Array(members)
                #expect(kept.map { staff.number($0) } == expected && Set(kept).count == expected.count)
                #expect(zip(kept, members).allSatisfy { $0 === $1 })
                #expect((department.value(forKey: "employees") as? Set<ManagedObject>) == Set(kept))
            }
        }
    }
}

extension MemberRowsTests {
    @Test func membersThatFollowOneAnotherAreRowsToo() throws {
        try withStaff(prefetches: false, blocks: true) { staff in
            // One of them is somebody's object before its list is read, and stays it.
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            request.predicate = try FetchPredicate(format: "number == 2000")
            let known = try #require(try staff.context.fetch(request).first)
            for (place, department) in staff.departments.prefix(3).enumerated() {
                let expected = (0..<4_000).filter { $0 * 3 / 4_000 == place }
                let members = department[staff.employees]
                #expect(members.map { staff.number($0) } == expected)
                let held = members[700], id = members[1_100].objectID
                #expect(staff.number(held) == expected[700])
                let found = try #require(staff.context.registeredObject(for: id))
                #expect(staff.number(found) == expected[1_100] && members[1_100] === found)
                for (place, member) in members.enumerated() where place == 700 || place == 1_100 {
                    #expect(member === (place == 700 ? held : found))
                }
                if place == 1 { #expect(members.contains { $0 === known }) }
            }
            // When the lists have gone their objects are read again.
            for department in staff.departments { staff.context.refresh(department, mergeChanges: false) }
            let ids = try staff.departments.prefix(3).map { try #require($0[staff.employees].last).objectID }
            #expect(try ids.map { staff.number(try staff.context.existingObject(with: $0)) } == [1_333, 2_666, 3_999])
        }
    }

    @Test func anObjectThatSomebodyHasIsThatRowsObject() throws {
        try withStaff { staff in
            let members = staff.departments[3][staff.employees]
            let third = members[2]
            weak var weakly: ManagedObject?
            var unownedKeys: [Int] = []
            var seen: [ObjectIdentifier] = []
            for (place, member) in members.enumerated() {
                if place == 1 { weakly = member }
                if place == 5 {
                    unowned let other = member
                    unownedKeys.append(staff.number(other))
                }
                if place == 2 { #expect(member === third) }
                seen.append(ObjectIdentifier(member))
                // Whoever was referred to weakly is the one that was, or gone.
                if let weakly { #expect(staff.number(weakly) == 23) }
            }
            #expect(unownedKeys == [103])
            #expect(staff.context.registeredObject(for: third.objectID) === third)
            // A row of the list is its object wherever it is come by.
            let id = members[7].objectID
            let found = try #require(staff.context.registeredObject(for: id))
            #expect(staff.number(found) == 143 && members[7] === found)
            #expect(try staff.context.existingObject(with: id) === found)
            #expect(staff.context.registeredObjects.count == Self.departments + Self.members)
            let fetched = try staff.context.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
            #expect(
                fetched.count == Self.members && fetched.contains { $0 === third }
                    && Set(fetched).isSuperset(of: members))
        }
    }

    @Test func changesMadeWhileWalkingAreThereAndAreSavedOnce() throws {
        try withStaff { staff in
            let department = staff.departments[0]
            for member in department[staff.employees] where staff.number(member) % 40 == 0 {
                member["name"] = "Changed"
            }
            #expect(staff.context.updatedObjects.count == 5)
            #expect(department[staff.employees].filter { $0["name"] as? String == "Changed" }.count == 5)
            try staff.context.save()
            #expect(
                department[staff.employees].filter { $0["name"] as? String == "Changed" && !$0.hasChanges }.count == 5)
            // A second change of one whose object went meanwhile finds the version that the save
            // made.
            for member in department[staff.employees] where staff.number(member) == 40 { member["name"] = "Again" }
            try staff.context.save()
            for member in department[staff.employees] where staff.number(member) == 80 { member["name"] = "Never" }
            staff.context.rollback()
            let other = ManagedObjectContext(staff.coordinator)
            let names = try withExtendedLifetime(other) {
                try other.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).map { $0["name"] as? String ?? "" }
            }
            #expect(
                names.filter { $0 == "Changed" }.count == 4 && names.filter { $0 == "Again" }.count == 1
                    && !names.contains("Never"))
            #expect(
                department[staff.employees].map { $0["name"] as? String ?? "" }.sorted()
                    == names.enumerated().filter { $0.offset % 20 == 0 }.map(\.element).sorted())
        }
    }
}

extension MemberRowsTests {
    @Test func membersComeAndGoAsEver() throws {
        try withStaff { staff in
            let (from, to) = (staff.departments[1], staff.departments[2])
            let before = from[staff.employees]
            let moved = before[4]
            moved["department"] = to
            #expect(from[staff.employees].count == 9 && to[staff.employees].count == 11)
            #expect(before.count == 10 && before[4] === moved, "what was taken earlier stays as it was")
            staff.context.delete(from[staff.employees][0])
            staff.context.processPendingChanges()
            try staff.context.save()
            #expect(from[staff.employees].count == 8)
            // A cascade takes members that are rows as it takes others.
            staff.context.delete(staff.departments[5])
            try staff.context.save()
            let other = ManagedObjectContext(staff.coordinator)
            let left = try withExtendedLifetime(other) {
                try other.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).map { staff.number($0) }
            }
            #expect(
                left.count == Self.members - 11 && !left.contains { $0 % Self.departments == 5 } && !left.contains(1))
        }
    }

    @Test func whatOthersSaveIsSeenAfterAMergeAndARefresh() throws {
        try withStaff { staff in
            let department = staff.departments[6]
            let members = department[staff.employees]
            let other = ManagedObjectContext(staff.coordinator)
            let observation = other.observe(.didSave) { staff.context.mergeChanges(fromContextDidSave: $0) }
            defer { observation.cancel() }
            for employee in try other.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
            where [6, 26].contains(staff.number(employee)) { employee["name"] = "Elsewhere" }
            try other.save()
            #expect(members.map { $0["name"] as? String ?? "" }.filter { $0 == "Elsewhere" }.count == 2)
            observation.cancel()
            for employee in try other.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
            where staff.number(employee) == 46 { employee["name"] = "Later" }
            try other.save()
            #expect(!members.contains { $0["name"] as? String == "Later" })
            // What is out of date is a conflict, as with every object.
            let late = try #require(members.first { staff.number($0) == 46 })
            late["name"] = "Mine"
            #expect(throws: (any Error).self) { try staff.context.save() }
            staff.context.rollback()
            staff.context.refreshAllObjects()
            #expect(members.contains { $0["name"] as? String == "Later" })
            #expect(department[staff.employees].contains { $0["name"] as? String == "Later" })
        }
    }

    @Test func anObjectThatWasMadeAFaultReadsItsRowAgain() throws {
        try withStaff { staff in
            let members = staff.departments[8][staff.employees]
            let other = ManagedObjectContext(staff.coordinator)
            for employee in try other.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
            where staff.number(employee) == 28 { employee["name"] = "New" }
            try other.save()
            for member in members where staff.number(member) == 28 {
                staff.context.refresh(member, mergeChanges: false)
            }
            #expect(members.first { staff.number($0) == 28 }?["name"] as? String == "New")
        }
    }
}

extension MemberRowsTests {
    @Test func anObservedContextAndOneThatHoldsEverythingKeepTheirMembers() throws {
        try withStaff { staff in
            staff.context.isObservable = true
            let identities = staff.departments[0][staff.employees].map { ObjectIdentifier($0) }
            #expect(
                Set(identities).count == 10
                    && identities == staff.departments[0][staff.employees].map { ObjectIdentifier($0) })
            staff.context.isObservable = false
            staff.context.retainsRegisteredObjects = true
            let others = staff.departments[1][staff.employees].map { ObjectIdentifier($0) }
            #expect(Set(others).count == 10)
        }
    }

    @Test func membersOfMembersAreReadToo() throws {
        try withStaff { staff in
            let chiefs = try staff.coordinator.managedObjectModel.entity(named: "Employee").map {
                try $0.toMany("staff") as ObjectGraph.ToManyKey<ManagedObject>
            }
            let key = try #require(chiefs)
            var led = 0
            for department in staff.departments {
                for member in department[staff.employees] {
                    for other in member[key] {
                        #expect(other["chief"] as? ManagedObject === member)
                        led += 1
                    }
                }
            }
            #expect(led == Self.members - 1)
        }
    }

    /// Lists, and objects of them, may be held longer than their context.
    @Test func membersThatOutliveTheirContextAreLetGo() throws {
        try withStaff { staff in
            var context: ManagedObjectContext? = ManagedObjectContext(staff.coordinator)
            weak let ended = context
            var request = FetchRequest<ManagedObject>(entityName: "Department")
            request.relationshipKeyPathsForPrefetching = ["employees"]
            var departments = try context?.fetch(request) ?? []
            var lists = departments.map { $0[staff.employees] }
            var held = lists.compactMap { $0.first }
            #expect(held.count == Self.departments)
            departments = []
            context = nil
            #expect(ended == nil)
            #expect(held.allSatisfy { $0.managedObjectContext == nil })
            // The objects first, so that the lists meet what is left of them.
            held = []
            #expect(lists.reduce(0) { $0 + $1.count } == Self.members)
            lists = []
            // Another context reads them as ever.
            #expect(staff.departments.reduce(0) { $0 + $1[staff.employees].count } == Self.members)
        }
    }
}
