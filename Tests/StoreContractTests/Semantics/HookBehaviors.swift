import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// An account that notes which hooks were called, and does in them what a test asks for.
final class HookedAccount: ManagedObject {
    var calls: [String] = []
    var atWillSave: ((HookedAccount) throws -> Void)?
    var atDidSave: ((HookedAccount) -> Void)?
    var atValidation: ((HookedAccount) throws -> Void)?
    /// No property of the entity's.
    var remark = ""

    override class var customValidatedKeys: [String] { ["color"] }

    override func awakeFromInsert() {
        calls.append("insert \(number("balance") ?? -1)")
        setPrimitiveValue("born", forKey: "note")
    }

    override func awakeFromFetch() {
        calls.append("fetch \(isFault)")
        self["note"] = "awake"
        if text("title") == "adopted" {
            self["owner"] = managedObjectContext?.registeredObjects.first { $0.entity.name == "Person" }
        }
    }

    override func awake(fromSnapshotEvents events: SnapshotEvents) { calls.append("snapshot \(events.rawValue)") }
    override func willSave() {
        calls.append("willSave")
        try? atWillSave?(self)
    }
    override func didSave() {
        calls.append("didSave")
        atDidSave?(self)
    }
    override func prepareForDeletion() { calls.append("prepare \(target("owner") != nil)") }
    override func willTurnIntoFault() { calls.append("willTurnIntoFault \(text("title") ?? "–")") }
    override func didTurnIntoFault() { calls.append("didTurnIntoFault \(primitiveValue(forKey: "title") == nil)") }

    override func validateValue(_ value: Any?, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
        if key == "color", value as? String == "none" { throw ValidationError(.generic, "no such color", key: key) }
    }

    private func validated(_ which: String) throws {
        calls.append(which)
        try atValidation?(self)
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        try validated("validateForInsert")
    }
    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try validated("validateForUpdate")
    }
    override func validateForDelete() throws {
        try super.validateForDelete()
        try validated("validateForDelete")
    }

    struct Refusal: Error {}
}

/// What objects are told, and when.
struct HookBehaviors {
    private static func hooked(_ context: ManagedObjectContext, _ title: String = "a", isSaved: Bool = true) throws
        -> HookedAccount
    {
        let account = try #require(try context.make("Account", ["title": title]) as? HookedAccount)
        if isSaved { try context.save() }
        return account
    }

    private static func fetched(_ context: ManagedObjectContext) throws -> HookedAccount {
        try #require(try context.one("Account") as? HookedAccount)
    }

    static let awakenings: [Behavior] = [
        Behavior("L1", "an inserted object is awakened once, with its defaults in place") { f in
            let account = try hooked(f.context(), isSaved: false)
            #expect(account.calls == ["insert 0"] && account.text("note") == "born")
        },
        Behavior("L2", "an initializer with a context inserts") { f in
            let context = f.context()
            let entity = try #require(f.model.entity(named: "Account"))
            let account = HookedAccount(entity: entity, insertInto: context)
            #expect(
                account.isInserted && context.insertedObjects == [account] && account.calls == ["insert 0"]
                    && account.number("balance") == 0)
        },
        Behavior("L4 U7", "an insertion that is undone and redone awakens by its events alone") { f in
            let context = f.context()
            context.undoManager = UndoManager()
            let account = try hooked(context, isSaved: false)
            context.processPendingChanges()
            account.calls = []
            context.undo()
            #expect(context.insertedObjects.isEmpty && account.calls.allSatisfy { !$0.hasPrefix("insert") })
            context.redo()
            #expect(
                context.insertedObjects == [account] && account.calls.allSatisfy { $0.hasPrefix("snapshot") }
                    && !account.calls.isEmpty)
        },
        Behavior("L5 L16", "what awakeFromInsert sets by primitive accessors is no step of undo") { f in
            let context = f.context()
            let manager = UndoManager()
            context.undoManager = manager
            let account = try hooked(context, isSaved: false)
            context.processPendingChanges()
            context.undo()
            #expect(!manager.canUndo && context.insertedObjects.isEmpty)
            context.redo()
            #expect(account.text("note") == "born")
            try context.save()
            #expect(try f.context().count("Account", matching: FetchPredicate(format: "note == 'born'")) == 1)
        },
        Behavior("L6", "an object is awakened when it is filled, not when it is fetched") { f in
            _ = try hooked(f.context())
            let context = f.context()
            let account = try fetched(context)
            #expect(account.calls == [] && account.isFault)
            #expect(account.text("title") == "a" && account.calls == ["fetch false"])
            #expect(account.text("title") == "a" && account.calls.count == 1)
        },
        Behavior("L7", "what awakeFromFetch sets makes nothing dirty") { f in
            _ = try hooked(f.context())
            let context = f.context()
            let account = try fetched(context)
            #expect(
                account.text("note") == "awake" && !account.hasChanges && !context.hasChanges
                    && account.changedValues().isEmpty)
        },
        Behavior("L7", "relationships that awakeFromFetch sets have no inverse") { f in
            let writer = f.context()
            try writer.make("Person", ["name": "p"])
            _ = try hooked(writer, "adopted")
            let context = f.context()
            let person = try context.one("Person")
            #expect(
                try fetched(context).target("owner") === person && person.texts("accounts", "title") == []
                    && !context.hasChanges)
        },
        Behavior("L6 F9", "an object that was made a fault is awakened again") { f in
            _ = try hooked(f.context())
            let context = f.context()
            let account = try fetched(context)
            _ = account["title"]
            context.refresh(account, mergeChanges: false)
            _ = account["title"]
            #expect(account.calls.filter { $0.hasPrefix("fetch") }.count == 2)
        },
        Behavior("L8", "events of awakening have Core Data's numbers") { f in
            let events: [SnapshotEvents] = [
                .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
            ]
            #expect(events.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
            let context = f.context()
            let account = try hooked(context)
            account["title"] = "b"
            account.calls = []
            context.rollback()
            #expect(account.calls == ["snapshot 16"])
        },
        Behavior("L8 U5", "undo tells of an update, and of a deletion") { f in
            let context = f.context()
            context.undoManager = UndoManager()
            let account = try hooked(context)
            account["title"] = "b"
            context.processPendingChanges()
            account.calls = []
            context.undo()
            #expect(account.calls == ["snapshot 8"])
            context.delete(account)
            context.processPendingChanges()
            account.calls = []
            context.undo()
            #expect(account.calls == ["snapshot 4"])
        },
        Behavior("L8 F10", "a merging refresh tells") { f in
            let context = f.context()
            let account = try hooked(context)
            account["title"] = "b"
            account.calls = []
            context.refresh(account, mergeChanges: true)
            #expect(account.calls == ["snapshot 32"])
        },
        Behavior("L8 S17", "a merge policy tells") { f in
            let context = f.context(.mergeByPropertyObjectTrump), other = f.context()
            let account = try hooked(context)
            try other.same(account)["color"] = "red"
            try other.save()
            account["title"] = "b"
            account.calls = []
            try context.save()
            #expect(account.calls.contains("snapshot 64") && account.text("color") == "red")
        },
    ]
}

extension HookBehaviors {
    static let saves: [Behavior] = [
        Behavior("L34", "a save calls each changed object once before and once after") { f in
            let context = f.context()
            let new = try hooked(context, isSaved: false), untouched = try hooked(f.context())
            new.calls = []
            untouched.calls = []
            try context.save()
            #expect(new.calls == ["willSave", "validateForInsert", "didSave"] && untouched.calls == [])
            new["title"] = "b"
            new.calls = []
            try context.save()
            #expect(new.calls == ["willSave", "validateForUpdate", "didSave"])
        },
        Behavior("L34", "a deleted object is called too") { f in
            let context = f.context()
            let account = try hooked(context)
            account.calls = []
            context.delete(account)
            try context.save()
            #expect(account.calls == ["prepare false", "willSave", "validateForDelete", "didSave"])
        },
        Behavior("L34", "an object that willSave inserts is called once, and saved") { f in
            let context = f.context()
            let account = try hooked(context, isSaved: false)
            var made: HookedAccount?
            account.atWillSave = { account in
                if made == nil {
                    made = try account.managedObjectContext?.make("Account", ["title": "made"]) as? HookedAccount
                }
            }
            try context.save()
            #expect(
                made?.calls == ["insert 0", "willSave", "validateForInsert", "didSave"]
                    && account.calls.filter { $0 == "willSave" }.count == 1)
            #expect(try f.reopened().found("Account", by: "title") == ["a", "made"])
        },
        Behavior("L34", "an object that another's willSave changes is called once where it had no changes") { f in
            let context = f.context()
            let first = try hooked(context, "first"), second = try hooked(context, "second")
            first.atWillSave = { _ in if second.text("color") == nil { second["color"] = "red" } }
            first["balance"] = 1
            (first.calls, second.calls) = ([], [])
            try context.save()
            #expect(
                first.calls == ["willSave", "validateForUpdate", "didSave"]
                    && second.calls == ["willSave", "validateForUpdate", "didSave"])
            #expect(try f.reopened().one("Account", "color == 'red'").text("title") == "second")
        },
        Behavior("L35 L37", "what willSave sets is saved, and leads to another call") { f in
            let context = f.context()
            let account = try hooked(context, isSaved: false)
            account.atWillSave = { if $0.text("color") != "red" { $0["color"] = "red" } }
            account.calls = []
            try context.save()
            #expect(account.calls == ["willSave", "willSave", "validateForInsert", "didSave"])
            #expect(try f.reopened().count("Account", matching: FetchPredicate(format: "color == 'red'")) == 1)
        },
        Behavior("L35", "primitive values that willSave sets lead to no other call, and are saved") { f in
            let context = f.context()
            let account = try hooked(context, isSaved: false)
            account.atWillSave = { $0.setPrimitiveValue("set", forKey: "color") }
            account.calls = []
            try context.save()
            #expect(account.calls.filter { $0 == "willSave" }.count == 1)
            #expect(try f.reopened().count("Account", matching: FetchPredicate(format: "color == 'set'")) == 1)
        },
        Behavior("L36", "a willSave that never rests fails the save, and nothing is lost") { f in
            let context = f.context()
            let account = try hooked(context, isSaved: false)
            var round = 0
            account.atWillSave = {
                round += 1
                $0["balance"] = round
            }
            #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .recursiveDirtying)
            #expect(round > 900 && round < 1100 && account.isInserted)
            account.atWillSave = nil
            try context.save()
            #expect(try f.reopened().count("Account") == 1)
        },
        Behavior("L35 R11", "what willSave deletes is deleted by that save, its cascade too") { f in
            let context = f.context()
            let account = try hooked(context), victim = try hooked(context, "victim")
            try context.make("Entry", ["text": "e", "account": victim])
            try context.save()
            account["balance"] = 1
            account.atWillSave = { $0.managedObjectContext?.delete(victim) }
            try context.save()
            let again = try f.reopened()
            #expect(try again.found("Account", by: "title") == ["a"] && again.count("Entry") == 0)
        },
        Behavior("L38", "what didSave changes makes the context dirty again, and can be undone") { f in
            let context = f.context()
            let manager = UndoManager()
            context.undoManager = manager
            let account = try hooked(context)
            manager.removeAllActions()
            account.atDidSave = { $0["color"] = "late" }
            account["balance"] = 1
            try context.save()
            account.atDidSave = nil
            #expect(account.isUpdated && context.hasChanges)
            #expect(try f.context().one("Account").text("color") == nil)
            context.undo()
            #expect(account.text("color") == nil && account.number("balance") == 1)
        },
        Behavior("L33 L38", "a deleted object can't be revived in didSave") { f in
            let context = f.context()
            let account = try hooked(context)
            account.atDidSave = { $0["title"] = "revived" }
            context.delete(account)
            try context.save()
            #expect(account.managedObjectContext == nil && !context.hasChanges)
            try context.save()
            #expect(try f.reopened().count("Account") == 0)
        },
        Behavior("S2 S3", "a save tells of changes, then that it begins, then calls objects, then tells that it ended")
        { f in
            let context = f.context()
            let account = try hooked(context, isSaved: false)
            var told: [String] = []
            let observations = [ContextNotification.Event.objectsDidChange, .willSave, .didSave].map { event in
                context.observe(event) {
                    told.append("\(event) \($0.inserted.count)\($0.updated.count)\($0.deleted.count)")
                }
            }
            account.atWillSave = { _ in told.append("object") }
            account.atValidation = { _ in told.append("validation") }
            try context.save()
            observations.forEach { $0.cancel() }
            #expect(told == ["objectsDidChange 100", "willSave 000", "object", "validation", "didSave 100"])
        },
    ]
}

extension HookBehaviors {
    static let validations: [Behavior] = [
        Behavior("V3", "one value can be checked by itself, against the model and the class") { f in
            let account = try hooked(f.context(), isSaved: false)
            try account.validateValue("red", forKey: "color")
            #expect(throws: ValidationError.self) { try account.validateValue("none", forKey: "color") }
            #expect(throws: GraphError.self) { try account.validateValue(1, forKey: "color") }
        },
        Behavior("V2 V8", "a rule of the class takes part in the save, and its failure names object, key and message") {
            f in
            let context = f.context()
            let account = try hooked(context, isSaved: false)
            account["color"] = "none"
            let failure = #expect(throws: ValidationError.self) { try context.save() }?.failures.first
            #expect(
                failure?.object == account.objectID && failure?.key == "color" && failure?.entity == "Account"
                    && failure?.message == "no such color")
        },
        Behavior("V4 V5", "an error of the application's own is passed out untouched") { f in
            let context = f.context()
            let account = try hooked(context, isSaved: false)
            account.atValidation = { _ in throw HookedAccount.Refusal() }
            #expect(throws: HookedAccount.Refusal.self) { try context.save() }
            #expect(account.isInserted)
        },
        Behavior("V6", "errors of several objects are listed, the application's own with them") { f in
            let context = f.context()
            for _ in 0..<2 { try hooked(context, isSaved: false).atValidation = { _ in throw HookedAccount.Refusal() } }
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(
                error?.failures.count == 2
                    && error?.failures.allSatisfy { $0.underlying is HookedAccount.Refusal } == true)
        },
        Behavior("V1", "a deletion that the class refuses fails the save") { f in
            let context = f.context()
            let account = try hooked(context)
            account.atValidation = { _ in throw HookedAccount.Refusal() }
            context.delete(account)
            #expect(throws: HookedAccount.Refusal.self) { try context.save() }
            #expect(account.isDeleted)
            #expect(try f.context().count("Account") == 1)
        },
        Behavior("V19 B1", "a batch asks no object") { f in
            let context = f.context()
            let account = try hooked(context)
            account.calls = []
            var request = BatchUpdateRequest(entityName: "Account")
            request.propertiesToUpdate = ["color": .constant(.string("none"))]
            #expect(try context.execute(request).count == 1)
            #expect(account.calls == [] && !context.hasChanges)
            #expect(try f.reopened().count("Account", matching: FetchPredicate(format: "color == 'none'")) == 1)
        },
        Behavior("V20", "what a validation changes in another object is not lost") { f in
            let context = f.context()
            let first = try hooked(context, "first"), second = try hooked(context, "second")
            first.atValidation = { _ in second["balance"] = 5 }
            first["balance"] = 1
            try context.save()
            try context.save()
            #expect(try f.reopened().count("Account", matching: FetchPredicate(format: "balance == 5")) == 1)
        },
        Behavior("V17", "a save that an object refuses can be made again") { f in
            let context = f.context()
            let account = try hooked(context, isSaved: false)
            account.atValidation = { _ in throw HookedAccount.Refusal() }
            #expect(throws: HookedAccount.Refusal.self) { try context.save() }
            account.atValidation = nil
            try context.save()
            #expect(try f.reopened().count("Account") == 1)
        },
    ]
}

extension HookBehaviors {
    static let faults: [Behavior] = [
        Behavior("L32", "delete() prepares the object at once, before any rule, and each time") { f in
            let context = f.context()
            let account = try hooked(context)
            account["owner"] = try context.make("Person", ["name": "p"])
            try context.save()
            account.calls = []
            context.delete(account)
            #expect(account.calls == ["prepare true"])
            context.delete(account)
            #expect(account.calls == ["prepare true", "prepare true"])
        },
        Behavior("L32 R11", "a cascade prepares each of its objects") { f in
            let context = f.context()
            let person = try context.make("Person", ["name": "p"])
            let accounts = try (0..<3).map { _ in try hooked(context, isSaved: false) }
            for account in accounts { account["owner"] = person }
            try context.save()
            for account in accounts { account.calls = [] }
            context.delete(person)
            #expect(accounts.allSatisfy { $0.calls.isEmpty })
            context.processPendingChanges()
            #expect(accounts.allSatisfy { $0.calls == ["prepare true"] && $0.isDeleted })
        },
        Behavior("L39", "an object is told before and after it becomes a fault") { f in
            let context = f.context()
            let account = try hooked(context)
            account.calls = []
            context.refresh(account, mergeChanges: false)
            #expect(account.calls == ["willTurnIntoFault a", "didTurnIntoFault true"])
            context.refresh(account, mergeChanges: false)
            #expect(account.calls.count == 2)
        },
        Behavior("L40", "identity and flags of a fault are read without filling it") { f in
            _ = try hooked(f.context())
            let context = f.context()
            let account = try fetched(context)
            _ = (
                account.objectID, account.entity, account.managedObjectContext, account.description, account.hashValue,
                account == account
            )
            #expect(
                !account.isInserted && !account.isUpdated && !account.isDeleted && !account.hasChanges
                    && !account.hasPersistentChangedValues)
            #expect(account.changedValues().isEmpty && account.isFault && account.calls == [])
        },
        Behavior("L17", "willAccessValue(forKey: nil) fills a fault") { f in
            _ = try hooked(f.context())
            let context = f.context()
            let account = try fetched(context)
            account.willAccessValue(forKey: nil)
            #expect(!account.isFault && account.calls == ["fetch false"])
        },
        Behavior("L42", "a property of the class that the entity doesn't have is no change") { f in
            let context = f.context()
            let account = try hooked(context)
            account.remark = "x"
            #expect(!account.hasChanges && !context.hasChanges)
        },
        Behavior("F19 F22", "an object that is gone is not awakened") { f in
            let writer = f.context(), context = f.context()
            let account = try hooked(writer)
            let fault = try #require(context.object(with: account.objectID) as? HookedAccount)
            writer.delete(account)
            try writer.save()
            #expect(fault["title"] == nil && fault.isDeleted && fault.calls.allSatisfy { !$0.hasPrefix("fetch") })
        },
    ]

    private static let classes: [String: ManagedObject.Type] = ["Account": HookedAccount.self]
}

extension HookBehaviors {
    @Test(arguments: awakenings, StoreKind.allCases) func awakening(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, classes: Self.classes)
    }
    @Test(arguments: saves, StoreKind.allCases) func saving(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, classes: Self.classes)
    }
    @Test(arguments: validations, StoreKind.allCases) func validating(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, classes: Self.classes)
    }
    @Test(arguments: faults, StoreKind.allCases) func faulting(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, classes: Self.classes)
    }
}
