import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// Validation, saving, conflicts between contexts, undo.
struct SavingBehaviors {
    /// A model of rules.
    static func rules() throws -> ManagedObjectModel {
        let short = AttributeDescription(
            "short", .string, minimumValue: .int(2), maximumValue: .int(4), regularExpression: nil)
        let pattern = AttributeDescription("pattern", .string, regularExpression: "[a-z]+")
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "Rule",
                attributes: [
                    .init("needed", .string, isOptional: false, defaultValue: .string("x")),
                    .init("number", .integer32, minimumValue: .int(1), maximumValue: .int(9)),
                    .init("ratio", .double, minimumValue: .double(0), maximumValue: .double(1)),
                    .init(
                        "day", .date, minimumValue: .date(Date(timeIntervalSinceReferenceDate: 0)),
                        maximumValue: .date(Date(timeIntervalSinceReferenceDate: 100))),
                    short, pattern,
                ],
                relationships: [
                    .init("parts", to: "Part", inverse: "rule", minCount: 1, maxCount: 2),
                    .init("guard", to: "Part", inverse: "guarded", deleteRule: .deny),
                ]),
            EntityDefinition(
                "Part", attributes: [.init("name", .string)],
                relationships: [
                    .init("rule", to: "Rule", inverse: "parts"), .init("guarded", to: "Rule", inverse: "guard"),
                ]),
            EntityDefinition(
                "Strict", attributes: [.init("name", .string)],
                relationships: [.init("part", to: "Part", isOptional: false)]),
            EntityDefinition(
                "Open",
                relationships: [
                    .init("members", to: "Member", inverse: "open", minCount: 0, maxCount: 0, isOptional: false)
                ]),
            EntityDefinition("Member", relationships: [.init("open", to: "Open", inverse: "members")]),
        ])
    }

    private static func violation(
        _ facts: String, _ key: String, _ value: (any Sendable)?, _ code: ValidationError.Code
    ) -> Behavior {
        Behavior(facts, "\(key) with \(value.map { "\($0)" } ?? "nil") fails with \(code.rawValue)") { f in
            let context = f.context()
            let object = try context.make("Rule", [:])
            object[key] = value
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(
                error?.code == code && error?.failures.map(\.key) == [key]
                    && error?.failures.first?.object == object.objectID)
            // Nothing is written and nothing is lost.
            #expect(object.isInserted && context.hasChanges)
            #expect(try f.context().count("Rule") == 0)
            context.rollback()
            try context.save()
        }
    }

    private static func valid(_ facts: String, _ key: String, _ value: (any Sendable)?) -> Behavior {
        Behavior(facts, "\(key) with \(value.map { "\($0)" } ?? "nil") is valid") { f in
            let context = f.context()
            try context.make("Rule", [:])[key] = value
            try context.save()
        }
    }

    static let validations: [Behavior] = [
        violation("V9", "needed", nil, .missingMandatoryProperty), violation("V11 V21", "number", 10, .numberTooLarge),
        violation("V11 V21", "number", 0, .numberTooSmall),
        violation("V11 V21", "ratio", 1.5, .numberTooLarge), violation("V11 V21", "ratio", -0.1, .numberTooSmall),
        violation("V11 V21", "day", Date(timeIntervalSinceReferenceDate: 101), .dateTooLate),
        violation("V11 V21", "day", Date(timeIntervalSinceReferenceDate: -1), .dateTooSoon),
        violation("V11 V21", "short", "abcde", .stringTooLong), violation("V11 V21", "short", "a", .stringTooShort),
        violation("V11 V21", "pattern", "ABC", .stringPattern),
        violation("V13", "pattern", "abc1", .stringPattern),
        violation("V13", "short", "\u{1F600}\u{1F600}\u{1F600}", .stringTooLong),
        valid("V15", "number", 1), valid("V15", "number", 9), valid("V15", "ratio", 0.0), valid("V15", "ratio", 1.0),
        valid("V15", "short", "abcd"), valid("V15", "short", "ab"),
        valid("V15", "day", Date(timeIntervalSinceReferenceDate: 100)), valid("V2", "number", nil),
        valid("V2", "short", nil), valid("V13", "short", "\u{1F600}\u{1F600}"),
        valid("V13", "pattern", "abc"),
        Behavior("V5", "two failures of an object are listed together") { f in
            let context = f.context()
            try context.make("Rule", ["number": 0, "short": "a"])
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .multiple && error?.failures.count == 2)
        },
        Behavior("V6", "failures of several objects are listed together") { f in
            let context = f.context()
            for _ in 0..<3 { try context.make("Rule", ["number": 0]) }
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.count == 3 && Set(error?.failures.map(\.object) ?? []).count == 3)
        },
        Behavior("V17", "a save succeeds once the value is mended") { f in
            let context = f.context()
            let object = try context.make("Rule", ["number": 0])
            #expect(throws: ValidationError.self) { try context.save() }
            object["number"] = 1
            try context.save()
            #expect(try f.reopened().one("Rule").number("number") == 1)
        },
        Behavior("V1", "setting an invalid value is no error before the save") { f in
            let object = try f.context().make("Rule", ["number": 0])
            #expect(object.number("number") == 0)
            #expect(throws: ValidationError.self) { try object.validateForInsert() }
        },
        Behavior("V1", "updates are checked too") { f in
            let context = f.context()
            let object = try context.make("Rule", ["number": 5])
            try context.save()
            object["number"] = 99
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(try f.context().one("Rule").number("number") == 5)
        },
        Behavior("R18 V21", "too many members fail at the save, not when they are set") { f in
            let context = f.context()
            let object = try context.make("Rule", [:])
            object["parts"] = Set(try (0..<3).map { _ in try context.make("Part", [:]) })
            #expect(#expect(throws: ValidationError.self) { try context.save() }?.code == .tooManyObjects)
        },
        Behavior("R19", "bounds of an optional relationship count where it is not empty") { f in
            let context = f.context()
            let object = try context.make("Rule", [:])
            try context.save()
            object["parts"] = Set([try context.make("Part", [:])])
            try context.save()
        },
        Behavior("R19", "an empty mandatory to-one is missing") { f in
            let context = f.context()
            try context.make("Strict", ["name": "s"])
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missingMandatoryProperty && error?.failures.map(\.key) == ["part"])
        },
        Behavior("R19", "a mandatory to-many whose smallest count is 0 may be empty") { f in
            let context = f.context()
            let object = try context.make("Open", [:])
            try context.save()
            object["members"] = Set([try context.make("Member", [:])])
            try context.save()
            object["members"] = Set<ManagedObject>()
            try context.save()
            #expect(try f.context().count("Open") == 1)
        },
        Behavior("R12", "a denied deletion fails the save, and nothing is written") { f in
            let context = f.context()
            let part = try context.make("Part", ["name": "p"])
            let object = try context.make("Rule", ["guard": part])
            try context.save()
            context.delete(object)
            #expect(#expect(throws: ValidationError.self) { try context.save() }?.code == .deleteDenied)
            #expect(try f.context().count("Rule") == 1)
            context.rollback()
            #expect(object.target("guard") === part && !object.isDeleted)
        },
        Behavior("R13", "a target that is deleted along denies nothing") { f in
            let context = f.context()
            let part = try context.make("Part", ["name": "p"])
            let object = try context.make("Rule", ["guard": part])
            try context.save()
            context.delete(object)
            context.delete(part)
            try context.save()
            #expect(try f.context().count("Rule") == 0 && f.context().count("Part") == 0)
        },
        Behavior("V18", "a child context validates its own save") { f in
            let parent = f.context()
            let child = ManagedObjectContext(parent: parent)
            try child.make("Rule", ["number": 0])
            #expect(throws: ValidationError.self) { try child.save() }
            #expect(!parent.hasChanges)
        },
    ]

    static let saves: [Behavior] = [
        Behavior("S13 S16", "a conflict fails the save and keeps the changes") { f in
            let first = f.context(), second = f.context()
            let object = try first.saved("Tag", "word", ["a"])[0]
            let same = try second.same(object)
            object["weight"] = 1
            same["weight"] = 2
            try first.save()
            #expect(#expect(throws: GraphError.self) { try second.save() }?.code == .conflict)
            #expect(same.number("weight") == 2 && same.isUpdated)
            #expect(try f.context().one("Tag").number("weight") == 1)
        },
        Behavior("S21", "edits of different objects are no conflict") { f in
            let first = f.context(), second = f.context()
            let tags = try first.saved("Tag", "word", ["a", "b"])
            let same = try second.same(tags[1])
            tags[0]["weight"] = 1
            same["weight"] = 2
            try first.save()
            try second.save()
            #expect(try f.reopened().found("Tag", by: "weight").count == 2)
        },
        Behavior("S10", "new objects don't conflict") { f in
            let first = f.context(), second = f.context()
            try first.make("Account", ["title": "a"])
            try second.make("Account", ["title": "b"])
            try first.save()
            try second.save()
            #expect(try f.reopened().found("Account", by: "title") == ["a", "b"])
        },
        Behavior("S32", "a child's save reaches the parent and not the store") { f in
            let parent = f.context()
            let child = ManagedObjectContext(parent: parent)
            try child.make("Tag", ["word": "a"])
            #expect(try parent.count("Tag") == 0)
            try child.save()
            #expect(try parent.hasChanges && parent.count("Tag") == 1 && f.context().count("Tag") == 0)
            try parent.save()
            #expect(try f.reopened().count("Tag") == 1)
        },
        Behavior("S33", "a child sees the parent's unsaved changes") { f in
            let parent = f.context()
            let object = try parent.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            try parent.make("Tag", ["word": "c"])
            let child = ManagedObjectContext(parent: parent)
            #expect(try child.found("Tag", by: "word") == ["b", "c"])
            #expect(try child.found("Tag", "word == 'b'", by: "word") == ["b"])
        },
        Behavior("S34", "after a child's save the parent has the values and is dirty, the child is clean") { f in
            let parent = f.context()
            let object = try parent.saved("Tag", "word", ["a"])[0]
            let child = ManagedObjectContext(parent: parent)
            try child.same(object)["word"] = "b"
            try child.save()
            #expect(object.text("word") == "b" && object.isUpdated && !child.hasChanges)
        },
        Behavior("S36", "a child's values win over the parent's") { f in
            let parent = f.context()
            let object = try parent.saved("Tag", "word", ["a"])[0]
            let child = ManagedObjectContext(parent: parent)
            let same = try child.same(object)
            same["word"] = "child"
            object["word"] = "parent"
            try child.save()
            #expect(object.text("word") == "child")
        },
        Behavior("S38", "a context follows what others save where it is told to") { f in
            let first = f.context(), second = f.context(), third = f.context()
            second.automaticallyMergesChangesFromParent = true
            let object = try first.saved("Tag", "word", ["a"])[0]
            let following = try second.same(object), stale = try third.same(object)
            object["word"] = "b"
            try first.save()
            second.processPendingChanges()
            third.processPendingChanges()
            #expect(following.text("word") == "b" && stale.text("word") == "a")
        },
        Behavior("S40", "unsaved edits survive that") { f in
            let first = f.context(), second = f.context()
            second.automaticallyMergesChangesFromParent = true
            let object = try first.saved("Tag", "word", ["a"])[0]
            let same = try second.same(object)
            same["weight"] = 7
            object["word"] = "b"
            try first.save()
            second.processPendingChanges()
            #expect(same.text("word") == "b" && same.number("weight") == 7 && same.isUpdated)
            try second.save()
            #expect(try f.reopened().one("Tag").number("weight") == 7)
        },
        Behavior("S41", "a merge refreshes, brings and deletes") { f in
            let first = f.context(), second = f.context()
            let tags = try first.saved("Tag", "word", ["a", "b"])
            let same = try tags.map { try second.same($0) }
            let observation = first.observe(.didSave) { second.mergeChanges(fromContextDidSave: $0) }
            tags[0]["word"] = "c"
            first.delete(tags[1])
            try first.make("Tag", ["word": "d"])
            try first.save()
            observation.cancel()
            #expect(same[0].text("word") == "c" && !second.insertedObjects.contains { _ in true })
            #expect(try second.found("Tag", by: "word") == ["c", "d"])
        },
        Behavior("S24", "equal unique values are legal until the save") { f in
            let context = f.context()
            try context.make("Tag", ["word": "a"])
            try context.make("Tag", ["word": "a"])
            #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .constraint)
            #expect(context.insertedObjects.count == 2)
        },
        Behavior("S30", "nils don't collide") { f in
            let context = f.context()
            try context.make("Tag", [:])
            try context.make("Tag", [:])
            try context.save()
            #expect(try f.reopened().count("Tag") == 2)
        },
        Behavior("S30", "unique values count over an entity and its descendants") { f in
            let context = f.context()
            try context.make("Card", ["bank": "b", "number": 1])
            try context.make("Card", ["bank": "b", "number": 2])
            try context.save()
            try context.make("Card", ["bank": "b", "number": 2])
            #expect(#expect(throws: GraphError.self) { try context.save() }?.keys == ["bank", "number"])
        },
        Behavior("S1", "saveIfChanged says whether there was something") { f in
            let context = f.context()
            #expect(try !context.saveIfChanged())
            try context.make("Tag", [:])
            #expect(try context.saveIfChanged())
        },
    ]

    private static func undoing(_ f: GraphFixture) -> (ManagedObjectContext, UndoManager) {
        let context = f.context(), manager = UndoManager()
        context.undoManager = manager
        return (context, manager)
    }

    static let undos: [Behavior] = [
        Behavior("U2", "without a manager undo does nothing") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            context.undo()
            #expect(object.text("word") == "b")
        },
        Behavior("U5", "values go back and forth") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            context.processPendingChanges()
            manager.undo()
            #expect(object.text("word") == "a" && !context.hasChanges)
            manager.redo()
            #expect(object.text("word") == "b" && object.isUpdated)
        },
        Behavior("U7", "an insertion goes back and forth") { f in
            let (context, manager) = undoing(f)
            let object = try context.make("Tag", ["word": "a"])
            context.processPendingChanges()
            manager.undo()
            #expect(context.insertedObjects.isEmpty)
            manager.redo()
            #expect(context.insertedObjects == [object] && object.text("word") == "a")
            try context.save()
            #expect(try f.reopened().count("Tag") == 1)
        },
        Behavior("U5", "a cascade goes back as a whole") { f in
            let (context, manager) = undoing(f)
            let person = try context.make("Person", ["name": "p"])
            for title in ["a", "b"] { try context.make("Account", ["title": title, "owner": person]) }
            try context.save()
            context.delete(person)
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 3)
            manager.undo()
            #expect(context.deletedObjects.isEmpty && person.texts("accounts", "title") == ["a", "b"])
            try context.save()
            #expect(try f.reopened().one("Person").texts("accounts", "title") == ["a", "b"])
        },
        Behavior("U5", "both ends of a relationship go back") { f in
            let (context, manager) = undoing(f)
            let person = try context.make("Person", ["name": "p"]),
                account = try context.make("Account", ["title": "a"])
            try context.save()
            account["owner"] = person
            context.processPendingChanges()
            manager.undo()
            #expect(account.target("owner") == nil && person.texts("accounts", "title") == [])
        },
        Behavior("U8", "rollback and reset forget what could be undone") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            context.processPendingChanges()
            context.rollback()
            #expect(!manager.canUndo && !manager.canRedo)
        },
        Behavior("U9", "edits without registration stay") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            context.processPendingChanges()
            manager.removeAllActions()
            manager.disableUndoRegistration()
            object["word"] = "b"
            context.processPendingChanges()
            manager.enableUndoRegistration()
            object["weight"] = 1
            context.processPendingChanges()
            manager.undo()
            #expect(object.text("word") == "b" && object["weight"] == nil)
        },
        Behavior("U10", "undo after a save makes the context dirty again") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            try context.save()
            manager.undo()
            #expect(object.text("word") == "a" && object.isUpdated && context.hasChanges)
            try context.save()
            #expect(try f.reopened().one("Tag").text("word") == "a")
        },
        Behavior("U11", "undo of a saved deletion inserts the object again") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            context.delete(object)
            try context.save()
            manager.undo()
            #expect(object.isInserted && object.text("word") == "a")
            try context.save()
            #expect(try f.reopened().found("Tag", by: "word") == ["a"])
        },
        Behavior("U15", "what a merge brings is not undone") { f in
            let (context, manager) = undoing(f)
            let other = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            manager.removeAllActions()
            try other.same(object)["word"] = "b"
            let observation = other.observe(.didSave) { context.mergeChanges(fromContextDidSave: $0) }
            try other.save()
            observation.cancel()
            #expect(object.text("word") == "b" && !manager.canUndo)
        },
        Behavior("U4", "a group is undone at once") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            manager.beginUndoGrouping()
            object["word"] = "b"
            context.processPendingChanges()
            object["weight"] = 2
            context.processPendingChanges()
            manager.endUndoGrouping()
            manager.undo()
            #expect(object.text("word") == "a" && object["weight"] == nil)
        },
    ]
}

extension SavingBehaviors {
    @Test(arguments: validations, StoreKind.allCases) func validating(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, model: Self.rules())
    }
    @Test(arguments: saves, StoreKind.allCases) func saving(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
    @Test(arguments: undos, StoreKind.allCases) func undoing(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
}
