import ObjectGraph
import Query
import Schema
import Testing

/// What other contexts save of objects that are edited or deleted here, and live results then.
struct DeferredMergeTests {
    private final class Setting {
        let fixture: GraphFixture
        let context: ManagedObjectContext
        let undo = UndoManager()
        let account, other: ManagedObject
        let results: FetchedResultsController<ManagedObject>
        private var heard: [ContextNotification] = []
        private var observation: ContextObservation?

        init(_ fixture: GraphFixture) throws {
            self.fixture = fixture
            context = fixture.context()
            account = try context.make("Account", ["title": "a", "balance": 1])
            other = try context.make("Account", ["title": "b", "balance": 2])
            try context.save()
            context.undoManager = undo
            var request = FetchRequest<ManagedObject>(entityName: "Account")
            request.sortDescriptors = [SortKey("balance"), SortKey("title")]
            results = FetchedResultsController(fetchRequest: request, managedObjectContext: context)
            try results.performFetch()
            observation = context.observe(.objectsDidChange) { [unowned self] in heard.append($0) }
        }

        /// Saves in another context, and merges.
        func merge(_ edit: (ManagedObjectContext, ManagedObject) throws -> Void) throws {
            let elsewhere = fixture.context()
            var changes = SavedChanges()
            let observation = elsewhere.observe(.didSave) { changes = $0.changes }
            try edit(elsewhere, try elsewhere.same(account))
            try elsewhere.save()
            observation.cancel()
            context.mergeChanges(from: changes)
        }

        /// What was deleted as observers were told, since the last call.
        func deletions() -> Int {
            defer { heard = [] }
            return heard.filter { $0.deleted.contains(account) }.count
        }

        /// The titles and balances in live results, which a fetch has, too.
        func shown() throws -> [String] {
            context.processPendingChanges()
            let fetched = try context.fetch(results.fetchRequest)
            #expect(results.fetchedObjects == fetched && fetched.allSatisfy { !$0.isDeleted })
            return fetched.map { "\($0.text("title") ?? "nil")\($0.number("balance") ?? -1)" }
        }
    }

    private func run(_ kind: StoreKind, _ body: (Setting) throws -> Void) throws {
        try GraphFixture.run(kind) { try body(Setting($0)) }
    }

    enum Ending: CaseIterable {
        case rollback, refresh, undo, sameValue
    }

    @Test(arguments: StoreKind.allCases, Ending.allCases)
    func editsOfAnObjectThatWasDeletedElsewhereEndWithItsDeletion_S40(kind: StoreKind, ending: Ending) throws {
        try run(kind) { s in
            s.account["balance"] = 7
            try s.merge { $0.delete($1) }
            #expect(try s.shown() == ["b2", "a7"] && !s.account.isDeleted && s.deletions() == 0)
            switch ending {
            case .rollback: s.context.rollback()
            case .refresh: s.context.refresh(s.account, mergeChanges: false)
            case .undo: s.context.undo()
            case .sameValue:
                s.account["balance"] = 1
                try s.context.save()
            }
            #expect(try s.shown() == ["b2"] && s.deletions() == 1)
            if ending == .sameValue {
                #expect(s.account.managedObjectContext == nil)
            } else {
                #expect(s.account.isDeleted)
            }
            if ending == .rollback || ending == .sameValue { #expect(!s.context.hasChanges) }
            #expect(!s.undo.canRedo)
            // What is edited after is lost with the object.
            if ending != .sameValue { s.account["balance"] = 8 }
            try s.context.save()
            #expect(try s.shown() == ["b2"] && s.fixture.reopened().all("Account").count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func aSaveOfEditsOfADeletedObjectFollowsThePolicy_S40(kind: StoreKind, isKept: Bool) throws {
        try run(kind) { s in
            s.account["balance"] = 7
            try s.merge { $0.delete($1) }
            #expect(throws: GraphError.self) { try s.context.save() }
            #expect(try s.shown() == ["b2", "a7"])
            s.context.mergePolicy = isKept ? .mergeByPropertyObjectTrump : .mergeByPropertyStoreTrump
            try s.context.save()
            #expect(try s.shown() == (isKept ? ["b2", "a7"] : ["b2"]) && !s.context.hasChanges)
            s.context.rollback()
            #expect(try s.shown() == (isKept ? ["b2", "a7"] : ["b2"]))
        }
    }

    @Test(arguments: StoreKind.allCases, [Ending.rollback, .refresh, .undo])
    func anObjectDeletedHereComesBackAsItWasChangedElsewhere(kind: StoreKind, ending: Ending) throws {
        try run(kind) { s in
            s.context.delete(s.account)
            s.context.processPendingChanges()
            try s.merge { $1["balance"] = 9 }
            #expect(try s.shown() == ["b2"])
            switch ending {
            case .rollback: s.context.rollback()
            case .refresh: s.context.refresh(s.account, mergeChanges: false)
            case .undo, .sameValue: s.context.undo()
            }
            #expect(try s.shown() == ["b2", "a9"] && !s.account.isDeleted)
            s.account["title"] = "c"
            try s.context.save()
            #expect(try s.fixture.reopened().one("Account", "balance == 9").text("title") == "c")
        }
    }

    @Test(arguments: StoreKind.allCases, [Ending.rollback, .undo])
    func anObjectDeletedInBothStaysDeleted(kind: StoreKind, ending: Ending) throws {
        try run(kind) { s in
            s.context.delete(s.account)
            s.context.processPendingChanges()
            try s.merge { $0.delete($1) }
            if ending == .rollback { s.context.rollback() } else { s.context.undo() }
            #expect(try s.shown() == ["b2"] && s.account.isDeleted)
            try s.context.save()
            #expect(try s.shown() == ["b2"] && !s.context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func aDeletionThatWasMergedStaysAfterARollback(kind: StoreKind) throws {
        try run(kind) { s in
            try s.merge { $0.delete($1) }
            s.other["balance"] = 5
            s.context.rollback()
            #expect(try s.shown() == ["b2"] && s.account.isDeleted && !s.context.hasChanges)
            s.context.refreshAllObjects()
            s.context.refresh(s.account, mergeChanges: false)
            #expect(try s.shown() == ["b2"])
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func aDeletionThatIsUndoneElsewhereComesBackHere(kind: StoreKind, isSaved: Bool) throws {
        try run(kind) { s in
            let elsewhere = s.fixture.context()
            elsewhere.undoManager = UndoManager()
            let observation = elsewhere.observe(.didSave) { s.context.mergeChanges(from: $0.changes) }
            elsewhere.delete(try elsewhere.same(s.account))
            try elsewhere.save()
            #expect(try s.shown() == ["b2"])
            if isSaved { try s.context.save() } else { s.context.rollback() }
            elsewhere.undo()
            try elsewhere.save()
            #expect(try s.shown() == ["a1", "b2"])
            observation.cancel()
        }
    }

    @Test(arguments: StoreKind.allCases) func faultsThatChangedElsewhereMoveInLiveResults(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let maker = fixture.context()
            for number in 1...3 { try maker.make("Account", ["title": "\(number)", "balance": number]) }
            try maker.save()
            let context = fixture.context()
            var request = FetchRequest<ManagedObject>(entityName: "Account")
            request.sortDescriptors = [SortKey("balance")]
            let results = FetchedResultsController(fetchRequest: request, managedObjectContext: context)
            try results.performFetch()
            let observation = maker.observe(.didSave) { context.mergeChanges(from: $0.changes) }
            try maker.one("Account", "balance == 1")["balance"] = 9
            try maker.save()
            #expect(results.fetchedObjects?.map { $0.text("title") } == ["2", "3", "1"])
            observation.cancel()
        }
    }
}
