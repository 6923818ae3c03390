import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// Live results (Q40–Q54).
struct FetchedResultsControllerTests {
    private func request(_ predicate: String? = nil, sortedBy keys: String...) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Account")
        request.predicate = try predicate.map { try FetchPredicate(format: $0) }
        request.sortDescriptors = keys.map { SortKey($0) }
        return request
    }

    /// A controller over accounts a…, and what it has told so far as text.
    private final class List {
        let context: ManagedObjectContext
        let controller: FetchedResultsController<ManagedObject>
        private(set) var told: [String] = []
        private var observation: FetchedResultsObservation?

        init(_ request: FetchRequest<ManagedObject>, _ context: ManagedObjectContext, sections: String? = nil) throws {
            self.context = context
            controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections)
            observation = controller.observe { [unowned self] in told.append(Self.text($0)) }
            try controller.performFetch()
        }

        var titles: [String] { controller.fetchedObjects?.map { $0.text("title") ?? "–" } ?? [] }

        func next() -> String? {
            context.processPendingChanges()
            return told.isEmpty ? nil : told.removeFirst()
        }

        private static func text(_ changes: FetchedResultsChanges) -> String {
            func text(_ path: IndexPath) -> String { "\(path[0]).\(path[1])" }
            var parts =
                changes.deletedSections.map { "-section \($0)" } + changes.insertedSections.map { "+section \($0)" }
            for change in changes.objects {
                switch change {
                case .insert(_, let place): parts.append("+\(text(place))")
                case .delete(_, let place): parts.append("-\(text(place))")
                case .update(_, let place): parts.append("*\(text(place))")
                case .move(_, let from, let to): parts.append("\(text(from))>\(text(to))")
                }
            }
            return parts.joined(separator: " ")
        }
    }

    private func accounts(_ context: ManagedObjectContext, _ titles: [String]) throws -> [ManagedObject] {
        let accounts = try titles.map { try context.make("Account", ["title": $0]) }
        try context.save()
        return accounts
    }

    @Test(arguments: StoreKind.allCases) func nothingIsThereBeforeTheFetch_Q40(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            _ = try accounts(context, ["b", "a"])
            let controller = FetchedResultsController(
                fetchRequest: try request(sortedBy: "title"), managedObjectContext: context)
            #expect(controller.fetchedObjects == nil && controller.sections.isEmpty)
            try controller.performFetch()
            #expect(
                controller.fetchedObjects?.map { $0.text("title") } == ["a", "b"] && controller.sections.count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func everyKindOfChangeIsTold_Q43_Q44_Q45_Q46(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let all = try accounts(context, ["b", "d", "f", "h"])
            let list = try List(try request(sortedBy: "title"), context)
            let new = try context.make("Account", ["title": "c"])
            #expect(list.next() == "+0.1" && list.titles == ["b", "c", "d", "f", "h"])
            all[2]["note"] = "x"
            #expect(list.next() == "*0.3")
            all[0]["title"] = "g"
            #expect(list.next() == "0.0>0.3" && list.titles == ["c", "d", "f", "g", "h"])
            context.delete(all[1])
            #expect(list.next() == "-0.1" && list.titles == ["c", "f", "g", "h"])
            // Several at once are one batch; old places are those before it, new ones those after.
            context.delete(new)
            all[3]["title"] = "a"
            try context.make("Account", ["title": "z"])
            all[2]["note"] = "y"
            #expect(list.next() == "-0.0 +0.3 0.3>0.0 *0.1" && list.titles == ["a", "f", "g", "z"])
            #expect(list.next() == nil)
        }
    }
}

extension FetchedResultsControllerTests {
    @Test(arguments: StoreKind.allCases) func whatTheResultsDoNotShowIsNotTold_Q43(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            _ = try accounts(context, ["a"])
            let list = try List(try request("title BEGINSWITH 'a'", sortedBy: "title"), context)
            try context.make("Account", ["title": "b"])
            try context.make("Tag", ["word": "a"])
            #expect(list.next() == nil && list.titles == ["a"])
        }
    }

    @Test(arguments: StoreKind.allCases) func enteringAndLeavingTheConditionIsInsertionAndDeletion_Q46(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let all = try accounts(context, ["a1", "a2", "b"])
            let list = try List(try request("title BEGINSWITH 'a'", sortedBy: "title"), context)
            all[2]["title"] = "a0"
            #expect(list.next() == "+0.0")
            all[1]["title"] = "c"
            #expect(list.next() == "-0.2" && list.titles == ["a0", "a1"])
        }
    }

    @Test(arguments: StoreKind.allCases) func conditionsOnOtherObjectsFollowThose_Q46(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let all = try accounts(context, ["a", "b"]), person = try context.make("Person", ["name": "Ada"])
            all[0]["owner"] = person
            try context.save()
            let list = try List(try request("owner.name == 'Ada'", sortedBy: "title"), context)
            #expect(list.titles == ["a"])
            person["name"] = "Grace"
            #expect(list.next() == "-section 0 -0.0" && list.titles.isEmpty)
            all[1]["owner"] = person
            person["name"] = "Ada"
            #expect(list.next() == "+section 0 +0.0 +0.1")
        }
    }
}

extension FetchedResultsControllerTests {
    // MARK: Sections

    @Test(arguments: StoreKind.allCases) func sectionsComeGoAndAreMovedBetween_Q41_Q45_Q47(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            for (title, color) in [("a", "blue"), ("b", "blue"), ("c", "red")] {
                try context.make("Account", ["title": title, "color": color])
            }
            try context.save()
            let list = try List(try request(sortedBy: "color", "title"), context, sections: "color")
            func sections() -> [String] { list.controller.sections.map { "\($0.name) \($0.numberOfObjects)" } }
            #expect(sections() == ["blue 2", "red 1"])
            try context.one("Account", "title == 'a'")["color"] = "green"
            #expect(list.next() == "+section 1 0.0>1.0" && sections() == ["blue 1", "green 1", "red 1"])
            context.delete(try context.one("Account", "title == 'c'"))
            #expect(list.next() == "-section 2 -2.0" && sections() == ["blue 1", "green 1"])
            try context.one("Account", "title == 'b'")["color"] = "green"
            #expect(list.next() == "-section 0 0.0>0.1" && sections() == ["green 2"])
            try context.make("Account", ["title": "n"])
            #expect(list.next() == "+section 0 +0.0" && sections() == [" 1", "green 2"])
            #expect(list.controller.object(at: IndexPath(indexes: [1, 1])).text("title") == "b")
            #expect(
                list.controller.indexPath(for: try context.one("Account", "title == 'b'"))
                    == IndexPath(indexes: [1, 1]))
        }
    }

    @Test(arguments: StoreKind.allCases) func indexTitlesAreFirstLettersAsCapitals_Q51(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            for color in ["amber", "apricot", "blue", "écru"] { try context.make("Account", ["color": color]) }
            let controller = FetchedResultsController(
                fetchRequest: try request(sortedBy: "color"), managedObjectContext: context, sectionNameKeyPath: "color"
            )
            try controller.performFetch()
            #expect(controller.sectionIndexTitles == ["A", "B", "É"])
            #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func sectionsThatDoNotStandTogetherAreRefused_Q41(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            for (title, color) in [("a", "blue"), ("b", "red"), ("c", "blue")] {
                try context.make("Account", ["title": title, "color": color])
            }
            let controller = FetchedResultsController(
                fetchRequest: try request(sortedBy: "title"), managedObjectContext: context, sectionNameKeyPath: "color"
            )
            let error = #expect(throws: GraphError.self) { try controller.performFetch() }
            #expect(error?.code == .wrongType)
        }
    }
}

extension FetchedResultsControllerTests {
    // MARK: Other causes of change

    @Test(arguments: StoreKind.allCases) func mergesDriveItLikeOwnChanges_Q50(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            context.automaticallyMergesChangesFromParent = true
            let all = try accounts(context, ["a", "c", "e"])
            let list = try List(try request(sortedBy: "title"), context)
            let other = fixture.context()
            try other.same(all[0])["title"] = "d"
            try other.make("Account", ["title": "b"])
            other.delete(try other.same(all[2]))
            try other.save()
            #expect(list.next() == "-0.2 +0.0 0.0>0.2" && list.titles == ["b", "c", "d"])
            let result = try other.execute(BatchDeleteRequest(entityName: "Account"))
            #expect(list.next() == nil)
            context.mergeChanges(from: result.changes)
            #expect(list.next() == "-section 0 -0.0 -0.1 -0.2")
        }
    }

    @Test(arguments: StoreKind.allCases) func undoAndRollbackDriveIt_U5(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            context.undoManager = UndoManager()
            let all = try accounts(context, ["a", "b"])
            let list = try List(try request(sortedBy: "title"), context)
            context.delete(all[0])
            #expect(list.next() == "-0.0")
            context.undo()
            #expect(list.next() == "+0.0" && list.titles == ["a", "b"])
            all[0]["title"] = "z"
            #expect(list.next() == "0.0>0.1")
            context.rollback()
            #expect(list.next() == "0.1>0.0" && list.titles == ["a", "b"])
        }
    }

    @Test(arguments: StoreKind.allCases) func aResetNeedsAnotherFetch_Q49(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            _ = try accounts(context, ["a"])
            let list = try List(try request(sortedBy: "title"), context)
            context.reset()
            #expect(list.next() == nil && list.controller.fetchedObjects == nil)
            try list.controller.performFetch()
            #expect(list.titles == ["a"])
        }
    }

    @Test(arguments: StoreKind.allCases) func aWindowStaysAWindow_Q54(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            _ = try accounts(context, ["b", "c", "d", "e"])
            var request = try request(sortedBy: "title")
            request.fetchLimit = 2
            request.fetchOffset = 1
            let list = try List(request, context)
            #expect(list.titles == ["c", "d"])
            try context.make("Account", ["title": "a"])
            #expect(list.next() == "-0.1 +0.0" && list.titles == ["b", "c"])
        }
    }

    @Test(arguments: StoreKind.allCases) func aSaveDoesNotDisturbIt_Q43(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let list = try List(try request(sortedBy: "title"), context)
            let account = try context.make("Account", ["title": "a"])
            #expect(list.next() == "+section 0 +0.0")
            try context.save()
            #expect(list.next() == nil && list.controller.snapshot.objectIDs == [account.objectID])
        }
    }
}

extension FetchedResultsControllerTests {
    // MARK: Against a model

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func changesMakeTheNewListOutOfTheOld_Q44(seed: UInt64) throws {
        try GraphFixture.run(.inMemory) { fixture in
            var random = Seeded(state: seed)
            let context = fixture.context()
            let list = try List(try request("balance < 8", sortedBy: "color", "title"), context, sections: "color")
            var shown = list.controller.sections.map(\.objects)
            let observation = list.controller.observe { changes in
                // Applied as a list on a screen does it.
                var removed: [IndexPath] = [], added: [(IndexPath, ManagedObject)] = []
                for change in changes.objects {
                    switch change {
                    case .delete(_, let place): removed.append(place)
                    case .insert(let object, let place): added.append((place, object))
                    case .move(let object, let from, let to):
                        removed.append(from)
                        added.append((to, object))
                    case .update(let object, let place): #expect(shown[place[0]][place[1]] === object, "seed \(seed)")
                    }
                }
                for place in removed.sorted(by: >) { shown[place[0]].remove(at: place[1]) }
                for section in changes.deletedSections.reversed() { shown.remove(at: section) }
                for section in changes.insertedSections { shown.insert([], at: section) }
                for (place, object) in added.sorted(by: { $0.0 < $1.0 }) {
                    shown[place[0]].insert(object, at: place[1])
                }
            }
            for _ in 0..<120 {
                for _ in 0..<random.next(upTo: 4) {
                    let all = try context.all("Account")
                    let object = all.isEmpty ? nil : all[random.next(upTo: all.count)]
                    switch random.next(upTo: 6) {
                    case 0, 1:
                        try context.make(
                            "Account",
                            [
                                "title": "t\(random.next(upTo: 9))", "color": "c\(random.next(upTo: 4))",
                                "balance": random.next(upTo: 10),
                            ])
                    case 2: object?["title"] = "t\(random.next(upTo: 9))"
                    case 3: object?["color"] = "c\(random.next(upTo: 4))"
                    case 4: object?["balance"] = random.next(upTo: 10)
                    default: object.map { context.delete($0) }
                    }
                }
                context.processPendingChanges()
                #expect(shown == list.controller.sections.map(\.objects), "seed \(seed)")
                let keys =
                    list.controller.fetchedObjects?.map { "\($0.text("color") ?? "") \($0.text("title") ?? "")" } ?? []
                #expect(keys == keys.sorted(), "seed \(seed)")
                #expect(
                    Set(list.controller.fetchedObjects ?? []) == Set(try context.all("Account", "balance < 8")),
                    "seed \(seed)")
            }
            observation.cancel()
        }
    }

    private struct Seeded {
        var state: UInt64
        mutating func next(upTo bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
    }
}

extension FetchedResultsControllerTests {
    // MARK: Streams

    @Test func snapshotsCanBeIteratedOver_Q53() async throws {
        let context = ManagedObjectContext(try inMemoryCoordinator(try GraphFixture.makeModel()))
        let controller = FetchedResultsController(
            fetchRequest: try request(sortedBy: "title"), managedObjectContext: context)
        try controller.performFetch()
        var iterator = controller.snapshots().makeAsyncIterator()
        #expect(await iterator.next()?.objectIDs == [])
        let account = try context.make("Account", ["title": "a"])
        context.processPendingChanges()
        #expect(await iterator.next()?.objectIDs == [account.objectID])
    }
}
