import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// Objects from their insertion to their deletion.
struct LifecycleBehaviors {
    static let insertions: [Behavior] = [
        Behavior("L3", "a new object is inserted, not updated, deleted or a fault") { f in
            let object = try f.context().make("Tag", [:])
            #expect(object.isInserted && !object.isUpdated && !object.isDeleted && !object.isFault && object.hasChanges)
        },
        Behavior("L3", "a new object is registered, with a temporary ID") { f in
            let context = f.context()
            let object = try context.make("Tag", [:])
            #expect(
                object.objectID.isTemporaryID && context.insertedObjects == [object]
                    && context.registeredObjects.contains(object))
        },
        Behavior("L1 L48", "a new object has the model's defaults, and nils elsewhere") { f in
            let object = try f.context().make("Account", [:])
            #expect(
                object.number("balance") == 0 && object["title"] == nil && object.target("owner") == nil
                    && object.texts("tags", "word") == [])
        },
        Behavior("L3", "an abstract or unknown entity has no objects of its own") { f in
            let error = #expect(throws: GraphError.self) { try f.context().insert("Nothing") }
            #expect(error?.code == .unknownEntity)
        },
        Behavior("L9", "a saved object is neither inserted nor changed") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            #expect(
                !object.isInserted && !object.isUpdated && !object.hasChanges && !context.hasChanges
                    && object.changedValues().isEmpty)
        },
        Behavior("L9 L24", "a saved object has a permanent ID and is the same instance") { f in
            let context = f.context()
            let object = try context.make("Tag", ["word": "a"])
            let before = object.objectID
            try context.save()
            #expect(
                !object.objectID.isTemporaryID && object.objectID != before
                    && context.registeredObject(for: object.objectID) === object)
        },
        Behavior("L9", "setting a value of a saved object makes it updated alone") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            #expect(
                object.isUpdated && !object.isInserted && context.updatedObjects == [object]
                    && context.insertedObjects.isEmpty)
        },
        Behavior("L47", "a new object that is set again stays inserted") { f in
            let context = f.context()
            let object = try context.make("Tag", ["word": "a"])
            context.processPendingChanges()
            object["word"] = "b"
            #expect(object.isInserted && !object.isUpdated && context.updatedObjects.isEmpty)
        },
        Behavior("L25 L26", "an ID that is obtained early is the one that is saved") { f in
            let context = f.context()
            let object = try context.make("Tag", ["word": "a"])
            try context.obtainPermanentIDs(for: [object])
            let id = object.objectID
            #expect(!id.isTemporaryID && object.isInserted)
            try context.save()
            #expect(object.objectID == id)
        },
        Behavior("L27 L29", "an ID survives the way through its URI") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            let id = f.coordinator.managedObjectID(forURIRepresentation: object.objectID.uriRepresentation())
            #expect(id == object.objectID)
            #expect(
                f.coordinator.managedObjectID(
                    forURIRepresentation: URL(string: "x-coredata://00000000-0000-4000-8000-000000000000/Tag/p1")!)
                    == nil)
        },
        Behavior("L30", "the entity of an ID is the object's own") { f in
            let context = f.context()
            let object = try context.make("Savings", ["title": "s"])
            try context.save()
            let found = try f.context().one("Account")
            #expect(
                found.objectID == object.objectID && found.objectID.entity.name == "Savings"
                    && found.entity.name == "Savings")
        },
        Behavior("S1", "a save without changes does nothing") { f in
            let context = f.context()
            try context.save()
            #expect(!context.hasChanges)
        },
    ]

    static let changes: [Behavior] = [
        Behavior("L12", "a value that is set back leaves a dirty object without changed values") { f in
            let object = try f.context().saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            object["word"] = "a"
            #expect(object.hasChanges && !object.hasPersistentChangedValues && object.changedValues().isEmpty)
        },
        Behavior("L13", "changed values are the new ones") { f in
            let object = try f.context().saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            object["weight"] = 3
            #expect(
                object.changedValues().keys.sorted() == ["weight", "word"]
                    && object.changedValues()["word"] as? String == "b")
        },
        Behavior("L13", "a changed relationship is among the changed values") { f in
            let context = f.context()
            let account = try context.saved("Account", "title", ["a"])[0]
            account["owner"] = try context.make("Person", ["name": "p"])
            #expect(Array(account.changedValues().keys) == ["owner"])
        },
        Behavior("L14", "the values of the event are those since the last processing") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            context.processPendingChanges()
            object["weight"] = 3
            #expect(Array(object.changedValuesForCurrentEvent().keys) == ["weight"])
        },
        Behavior("L15", "committed values stay through edits") { f in
            let object = try f.context().saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            object["word"] = "c"
            #expect(object.committedValues(forKeys: ["word"])["word"] as? String == "a")
        },
        Behavior("L15", "an object that was never saved has no committed values") { f in
            let object = try f.context().make("Tag", ["word": "a"])
            #expect(object.committedValues(forKeys: nil).isEmpty && object.changedValues()["word"] as? String == "a")
        },
        Behavior("L11 L43", "a transient value is a change, but none to save") { f in
            let object = try f.context().saved("Person", "name", ["p"])[0]
            object["scratch"] = "s"
            #expect(object.hasChanges && !object.hasPersistentChangedValues)
        },
        Behavior("L43", "transient values survive a save and never reach the store") { f in
            let context = f.context()
            let object = try context.make("Person", ["name": "p", "scratch": "s"])
            try context.save()
            #expect(object.text("scratch") == "s")
            #expect(try f.context().one("Person").text("scratch") == nil)
        },
        Behavior("L43", "a refresh drops transient values") { f in
            let context = f.context()
            let object = try context.make("Person", ["name": "p", "scratch": "s"])
            try context.save()
            context.refresh(object, mergeChanges: false)
            #expect(object.text("scratch") == nil && object.text("name") == "p")
        },
        Behavior("L16", "a primitive value is no change") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            object.setPrimitiveValue("b", forKey: "word")
            #expect(object.text("word") == "b" && object.changedValues().isEmpty && !context.hasChanges)
        },
        Behavior("L16", "a primitive relationship has no inverse") { f in
            let context = f.context()
            let account = try context.make("Account", [:]), person = try context.make("Person", [:])
            account.setPrimitiveValue(person, forKey: "owner")
            #expect(account.target("owner") === person && person.texts("accounts", "title") == [])
        },
        Behavior("L19", "an unknown key is an error") { f in
            let object = try f.context().make("Tag", [:])
            #expect(#expect(throws: GraphError.self) { try object.propertyValue(forKey: "wort") }?.code == .unknownKey)
            #expect(
                #expect(throws: GraphError.self) { try object.setPropertyValue(.int(1), forKey: "wort") }?.code
                    == .unknownKey)
        },
        Behavior("L56", "a value of a wrong type is refused when it is set") { f in
            let object = try f.context().make("Tag", [:])
            #expect(
                #expect(throws: GraphError.self) { try object.setPropertyValue(.string("x"), forKey: "weight") }?.code
                    == .wrongType)
            #expect(object["weight"] == nil)
        },
        Behavior("L46", "processing twice tells once") { f in
            let context = f.context()
            var told = 0
            let observation = context.observe(.objectsDidChange) { _ in told += 1 }
            try context.make("Tag", [:])
            context.processPendingChanges()
            context.processPendingChanges()
            observation.cancel()
            #expect(told == 1)
        },
        Behavior("S7", "a fetch tells of no changes") { f in
            try f.context().saved("Tag", "word", ["a"])
            let context = f.context()
            var told = 0
            let observation = context.observe(.objectsDidChange) { _ in told += 1 }
            _ = try context.one("Tag")
            observation.cancel()
            #expect(told == 0)
        },
        Behavior("S4", "a save tells of its sets") { f in
            let context = f.context()
            let old = try context.saved("Tag", "word", ["a", "b"])
            var sets: [Int] = []
            let observation = context.observe(.didSave) {
                sets = [$0.inserted.count, $0.updated.count, $0.deleted.count]
            }
            old[0]["word"] = "c"
            context.delete(old[1])
            for word in ["d", "e", "f"] { try context.make("Tag", ["word": word]) }
            try context.save()
            observation.cancel()
            #expect(sets == [3, 1, 1])
        },
    ]

    static let deletions: [Behavior] = [
        Behavior("L31", "a new object that is deleted is forgotten") { f in
            let context = f.context()
            context.delete(try context.make("Tag", [:]))
            context.processPendingChanges()
            #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
            try context.save()
            #expect(try f.context().count("Tag") == 0)
        },
        Behavior("L33", "a deleted object is deleted until the save, and has no context afterwards") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            context.delete(object)
            #expect(object.isDeleted && context.deletedObjects == [object])
            try context.save()
            #expect(!object.isDeleted && object.managedObjectContext == nil)
            #expect(try f.context().count("Tag") == 0)
        },
        Behavior("L45", "rollback revives what was deleted and forgets what is new") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            let new = try context.make("Tag", ["word": "b"])
            context.delete(object)
            context.rollback()
            #expect(
                !object.isDeleted && object.text("word") == "a" && !context.hasChanges
                    && new.managedObjectContext == nil)
        },
        Behavior("L45", "rollback restores values and relationships without a manager of undo") { f in
            let context = f.context()
            let account = try context.saved("Account", "title", ["a"])[0]
            account["title"] = "b"
            account["owner"] = try context.make("Person", [:])
            context.rollback()
            #expect(account.text("title") == "a" && account.target("owner") == nil && context.undoManager == nil)
        },
        Behavior("R10", "nullify empties the inverse and keeps the targets") { f in
            let context = f.context()
            let person = try context.make("Person", ["name": "p"]),
                pupil = try context.make("Person", ["name": "q", "mentor": person])
            try context.save()
            context.delete(person)
            try context.save()
            #expect(pupil.target("mentor") == nil)
            #expect(try f.context().found("Person", by: "name") == ["q"])
        },
        Behavior("R11", "cascade deletes the targets of targets") { f in
            let context = f.context()
            let person = try context.make("Person", ["name": "p"])
            let account = try context.make("Account", ["title": "a", "owner": person])
            try context.make("Entry", ["text": "e", "account": account])
            try context.make("Card", ["bank": "b", "number": 1, "person": person])
            try context.save()
            let other = f.context()
            other.delete(try other.one("Person"))
            try other.save()
            let again = try f.reopened()
            #expect(try ["Person", "Account", "Entry", "Card"].map { try again.count($0) } == [0, 0, 0, 0])
        },
        Behavior("R15 R17", "delete rules wait for the end of the event") { f in
            let context = f.context()
            let person = try context.make("Person", ["name": "p"]),
                account = try context.make("Account", ["title": "a", "owner": person])
            try context.save()
            context.delete(account)
            #expect(person.texts("accounts", "title") == ["a"])
            context.processPendingChanges()
            #expect(person.texts("accounts", "title") == [])
        },
        Behavior("L31", "deleting twice is deleting once") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            context.delete(object)
            context.delete(object)
            try context.save()
            #expect(try f.context().count("Tag") == 0)
        },
        Behavior("S42", "what another context deleted is gone from fetches after a merge") { f in
            let first = f.context(), second = f.context()
            let object = try first.saved("Tag", "word", ["a"])[0]
            let same = try second.same(object)
            first.delete(object)
            let observation = first.observe(.didSave) { second.mergeChanges(fromContextDidSave: $0) }
            try first.save()
            observation.cancel()
            #expect(same.isDeleted || same.managedObjectContext == nil)
            #expect(try second.count("Tag") == 0)
        },
    ]
}

extension LifecycleBehaviors {
    @Test(arguments: insertions, StoreKind.allCases) func inserting(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
    @Test(arguments: changes, StoreKind.allCases) func changing(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
    @Test(arguments: deletions, StoreKind.allCases) func deleting(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
}
