import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// Faults, identity, refreshing, relationships.
struct FaultingBehaviors {
    static let faults: [Behavior] = [
        Behavior("F1", "a context has one object for an ID") { f in
            let context = f.context()
            try context.saved("Tag", "word", ["a"])
            let other = f.context()
            let found = try other.one("Tag")
            #expect(
                try other.one("Tag") === found && other.existingObject(with: found.objectID) === found
                    && other.object(with: found.objectID) === found)
        },
        Behavior("F2", "object(with:) gives a fault without asking the store") { f in
            let context = f.context()
            let id = try f.context().saved("Tag", "word", ["a"])[0].objectID
            let object = context.object(with: id)
            #expect(object.isFault && object.objectID == id)
            #expect(object.text("word") == "a" && !object.isFault)
        },
        Behavior("F3", "existingObject(with:) gives a filled object or an error") { f in
            let context = f.context()
            let writer = f.context()
            let object = try writer.saved("Tag", "word", ["a"])[0]
            let id = object.objectID
            #expect(try !context.existingObject(with: id).isFault)
            writer.delete(object)
            try writer.save()
            #expect(
                #expect(throws: GraphError.self) { try f.context().existingObject(with: id) }?.code == .objectNotFound)
        },
        Behavior("F3", "a new object is found by its temporary ID") { f in
            let context = f.context()
            let object = try context.make("Tag", [:])
            #expect(try context.existingObject(with: object.objectID) === object)
        },
        Behavior("F4", "registeredObject(for:) knows the context alone") { f in
            let context = f.context()
            let id = try f.context().saved("Tag", "word", ["a"])[0].objectID
            #expect(context.registeredObject(for: id) == nil)
            let object = context.object(with: id)
            #expect(context.registeredObject(for: id) === object)
        },
        Behavior("F5", "a fetch gives faults, or filled objects where that is asked for") { f in
            try f.context().saved("Tag", "word", ["a"])
            #expect(try f.context().one("Tag").isFault)
            var request = FetchRequest<ManagedObject>(entityName: "Tag")
            request.returnsObjectsAsFaults = false
            let context = f.context()
            #expect(try context.fetch(request).allSatisfy { !$0.isFault })
        },
        Behavior("F6", "without property values a fetch brings IDs, and faults are filled later") { f in
            try f.context().saved("Tag", "word", ["a"])
            var request = FetchRequest<ManagedObject>(entityName: "Tag")
            request.includesPropertyValues = false
            let context = f.context()
            let found = try context.fetch(request)
            #expect(found.count == 1 && found[0].isFault && found[0].text("word") == "a")
        },
        Behavior("F7", "a fetch does not change the values of a filled object") { f in
            let context = f.context(), other = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            try other.same(object)["word"] = "b"
            try other.save()
            #expect(try context.one("Tag") === object && object.text("word") == "a")
        },
        Behavior("F8", "a refreshing fetch does") { f in
            let context = f.context(), other = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            try other.same(object)["word"] = "b"
            try other.save()
            var request = FetchRequest<ManagedObject>(entityName: "Tag")
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request)
            #expect(object.text("word") == "b")
        },
        Behavior("F9", "a refresh without merging drops edits and makes a fault") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            context.refresh(object, mergeChanges: false)
            #expect(object.isFault && !context.hasChanges && object.text("word") == "a")
        },
        Behavior("F10", "a merging refresh keeps edits on top of what the store has") { f in
            let context = f.context(), other = f.context()
            let object = try context.make("Tag", ["word": "a", "weight": 1])
            try context.save()
            object["word"] = "mine"
            let same = try other.same(object)
            same["word"] = "theirs"
            same["weight"] = 2
            try other.save()
            context.refresh(object, mergeChanges: true)
            #expect(
                object.text("word") == "mine" && object.number("weight") == 2 && object.isUpdated && !object.isFault)
        },
        Behavior("F11", "a new object that is refreshed keeps its values") { f in
            let context = f.context()
            let object = try context.make("Tag", ["word": "a"])
            context.refresh(object, mergeChanges: false)
            #expect(object.text("word") == "a" && object.isInserted)
        },
        Behavior("F12", "refreshing all keeps the changed ones filled") { f in
            let context = f.context()
            let tags = try context.saved("Tag", "word", ["a", "b"])
            tags[0]["word"] = "c"
            context.refreshAllObjects()
            #expect(!tags[0].isFault && tags[0].text("word") == "c" && tags[1].isFault)
        },
        Behavior("F14", "objects without changes that nobody holds are let go") { f in
            try f.context().saved("Tag", "word", ["a", "b"])
            let context = f.context()
            _ = try context.all("Tag")
            #expect(context.registeredObjects.isEmpty)
            context.retainsRegisteredObjects = true
            _ = try context.all("Tag")
            #expect(context.registeredObjects.count == 2)
        },
        Behavior("F14", "changed objects are held until they are saved") { f in
            try f.context().saved("Tag", "word", ["a"])
            let context = f.context()
            try context.one("Tag")["weight"] = 5
            #expect(context.registeredObjects.count == 1)
            try context.save()
            #expect(try f.context().one("Tag").number("weight") == 5)
        },
        Behavior("F16 F17", "a reset forgets everything") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            try context.make("Tag", ["word": "b"])
            context.reset()
            #expect(context.registeredObjects.isEmpty && !context.hasChanges && object.managedObjectContext == nil)
            #expect(try context.count("Tag") == 1)
        },
        Behavior("F18", "a save right after a reset succeeds") { f in
            let context = f.context()
            try context.make("Tag", ["word": "a"])
            context.reset()
            try context.save()
            #expect(try f.context().count("Tag") == 0)
        },
        Behavior("F19", "a fault whose object is gone becomes a deleted object without values") { f in
            let writer = f.context(), context = f.context()
            let object = try writer.saved("Tag", "word", ["a"])[0]
            let fault = context.object(with: object.objectID)
            writer.delete(object)
            try writer.save()
            #expect(fault.text("word") == nil && fault.isDeleted && context.deletedObjects == [fault])
            try context.save()
        },
        Behavior("F22", "fulfillFault() throws for it, whatever the context does with faults") { f in
            let writer = f.context(), context = f.context()
            let object = try writer.saved("Tag", "word", ["a"])[0]
            let fault = context.object(with: object.objectID)
            writer.delete(object)
            try writer.save()
            #expect(#expect(throws: GraphError.self) { try fault.fulfillFault() }?.code == .objectNotFound)
        },
        Behavior("F23", "a fault that is gone is dropped from a deletion in silence") { f in
            let writer = f.context(), context = f.context()
            let object = try writer.saved("Tag", "word", ["a"])[0]
            let fault = context.object(with: object.objectID)
            writer.delete(object)
            try writer.save()
            context.delete(fault)
            try context.save()
        },
        Behavior("F24", "objects are filled together by a fetch for them") { f in
            let writer = f.context(), context = f.context()
            let ids = try writer.saved("Tag", "word", ["a", "b", "c"]).map(\.objectID)
            let faults = ids.map { context.object(with: $0) }
            faults[0]["word"] = "mine"
            var request = FetchRequest<ManagedObject>(entityName: "Tag")
            request.predicate = .comparison(
                ComparisonPredicate(.evaluatedObject, .in, .constant(.list(ids.map { .object($0) }))))
            request.returnsObjectsAsFaults = false
            let filled = try context.fetch(request)
            #expect(Set(filled) == Set(faults) && faults.allSatisfy { !$0.isFault })
            #expect(faults.map { $0.text("word") } == ["mine", "b", "c"])
        },
        Behavior("F25 F26", "a to-many is a fault of its own, and asking does not read it") { f in
            let writer = f.context(), context = f.context()
            try writer.make("Account", ["title": "a", "owner": try writer.make("Person", ["name": "p"])])
            try writer.save()
            let person = try context.one("Person")
            _ = person.text("name")
            #expect(person.hasFault(forRelationshipNamed: "accounts"))
            #expect(
                person.objectIDs(forRelationshipNamed: "accounts").count == 1
                    && !person.hasFault(forRelationshipNamed: "accounts"))
        },
        Behavior("F27", "a refresh makes to-many relationships faults again") { f in
            let context = f.context(), other = f.context()
            let person = try context.saved("Person", "name", ["p"])[0]
            #expect(person.texts("accounts", "title") == [])
            let same = try other.same(person)
            try other.make("Account", ["title": "a", "owner": same])
            try other.save()
            context.refresh(person, mergeChanges: true)
            #expect(person.texts("accounts", "title") == ["a"])
        },
        Behavior("Q31", "prefetching changes no result") { f in
            let writer = f.context(), context = f.context()
            let person = try writer.make("Person", ["name": "p"])
            for title in ["a", "b"] {
                try writer.make(
                    "Account",
                    ["title": title, "owner": person, "tags": Set([try writer.make("Tag", ["word": title])])])
            }
            try writer.save()
            var request = FetchRequest<ManagedObject>(entityName: "Person")
            request.relationshipKeyPathsForPrefetching = ["accounts.tags", "card"]
            let found = try context.fetch(request)
            #expect(found.count == 1 && !found[0].hasFault(forRelationshipNamed: "accounts"))
            let accounts = found[0]["accounts"] as? Set<ManagedObject> ?? []
            #expect(
                accounts.allSatisfy { !$0.hasFault(forRelationshipNamed: "tags") }
                    && Set(accounts.flatMap { $0.texts("tags", "word") }) == ["a", "b"])
        },
    ]

    static let relationships: [Behavior] = [
        Behavior("R1", "setting a to-one adds to the to-many at the other end, at once") { f in
            let context = f.context()
            let person = try context.make("Person", [:]), account = try context.make("Account", ["title": "a"])
            account["owner"] = person
            #expect(person.texts("accounts", "title") == ["a"])
        },
        Behavior("R1", "adding to a to-many sets the to-one at the other end") { f in
            let context = f.context()
            let person = try context.make("Person", [:]), account = try context.make("Account", [:])
            person.mutableSetValue(forKey: "accounts").add(account)
            #expect(account.target("owner") === person)
        },
        Behavior("R1", "removing from a to-many empties the to-one") { f in
            let context = f.context()
            let person = try context.make("Person", [:]), account = try context.make("Account", ["owner": person])
            person["accounts"] = Set<ManagedObject>()
            #expect(account.target("owner") == nil)
        },
        Behavior("R2", "the object at the other end is updated and saved") { f in
            let context = f.context()
            let person = try context.saved("Person", "name", ["p"])[0]
            try context.make("Account", ["title": "a", "owner": person])
            #expect(person.isUpdated)
            try context.save()
            #expect(!person.isUpdated)
        },
        Behavior("R3", "a to-one target is taken from its former owner") { f in
            let context = f.context()
            let first = try context.make("Person", [:]), second = try context.make("Person", [:]),
                card = try context.make("Card", [:])
            first["card"] = card
            second["card"] = card
            #expect(first.target("card") == nil && second.target("card") === card && card.target("person") === second)
        },
        Behavior("R3", "a member moves from one to-many to another") { f in
            let context = f.context()
            let first = try context.make("Person", [:]), second = try context.make("Person", [:]),
                account = try context.make("Account", ["title": "a", "owner": first])
            account["owner"] = second
            #expect(first.texts("accounts", "title") == [] && second.texts("accounts", "title") == ["a"])
        },
        Behavior("R4", "a many-to-many is saved from either side") { f in
            let context = f.context()
            let account = try context.make("Account", ["title": "a"]),
                tags = try ["x", "y"].map { try context.make("Tag", ["word": $0]) }
            account["tags"] = Set([tags[0]])
            tags[1]["accounts"] = Set([account])
            try context.save()
            #expect(try f.reopened().one("Account").texts("tags", "word") == ["x", "y"])
        },
        Behavior("R4", "removal on one side is removal on the other") { f in
            let context = f.context()
            let tag = try context.make("Tag", ["word": "x"])
            let account = try context.make("Account", ["title": "a", "tags": Set([tag])])
            try context.save()
            tag["accounts"] = Set<ManagedObject>()
            #expect(account.texts("tags", "word") == [])
            try context.save()
            #expect(try f.reopened().one("Account").texts("tags", "word") == [])
        },
        Behavior("R4", "a relationship that is its own inverse goes both ways") { f in
            let context = f.context()
            let a = try context.make("Person", ["name": "a"]),
                b = try context.make("Person", ["name": "b", "friends": Set([a])])
            #expect(a.texts("friends", "name") == ["b"])
            try context.save()
            #expect(try f.reopened().one("Person", "name == 'a'").texts("friends", "name") == ["b"])
            a["friends"] = Set<ManagedObject>()
            #expect(b.texts("friends", "name") == [])
        },
        Behavior("R5", "a to-many is a set, an ordered one an array") { f in
            let object = try f.context().make("Account", [:])
            #expect(object["tags"] is Set<ManagedObject> && object["entries"] is [ManagedObject])
        },
        Behavior("R7", "order is kept") { f in
            let context = f.context()
            let account = try context.make("Account", ["title": "a"])
            account["entries"] = try ["c", "a", "b"].map { try context.make("Entry", ["text": $0]) }
            try context.save()
            #expect(try f.reopened().one("Account").texts("entries", "text") == ["c", "a", "b"])
        },
        Behavior("R7", "another order alone is a change") { f in
            let context = f.context()
            let account = try context.make("Account", ["title": "a"])
            account["entries"] = try ["a", "b"].map { try context.make("Entry", ["text": $0]) }
            try context.save()
            account.mutableOrderedSetValue(forKey: "entries").moveObjects(at: [1], to: 0)
            #expect(account.isUpdated && account.hasPersistentChangedValues)
            try context.save()
            #expect(try f.reopened().one("Account").texts("entries", "text") == ["b", "a"])
        },
        Behavior("R8", "setting the to-one side appends to an ordered relationship") { f in
            let context = f.context()
            let account = try context.make("Account", ["title": "a"])
            for text in ["b", "a", "c"] { try context.make("Entry", ["text": text])["account"] = account }
            #expect(account.texts("entries", "text") == ["b", "a", "c"])
            try context.save()
            #expect(try f.reopened().one("Account").texts("entries", "text") == ["b", "a", "c"])
        },
        Behavior("R21", "an object of another context is refused") { f in
            let context = f.context(), other = f.context()
            let account = try context.make("Account", [:])
            let person = try other.saved("Person", "name", ["p"])[0]
            try account.setPropertyValue(.object(person.objectID), forKey: "owner")
            #expect(account.target("owner") !== person && account.target("owner")?.objectID == person.objectID)
        },
        Behavior("R22", "replacing members by the same is no persistent change") { f in
            let context = f.context()
            let tag = try context.make("Tag", ["word": "x"]),
                account = try context.make("Account", ["title": "a", "tags": Set([tag])])
            try context.save()
            account["tags"] = Set([tag])
            #expect(!account.hasPersistentChangedValues)
        },
        Behavior("R1", "an object can lead to itself") { f in
            let context = f.context()
            let person = try context.make("Person", ["name": "p"])
            person["mentor"] = person
            #expect(person.texts("pupils", "name") == ["p"])
            try context.save()
            let again = try f.reopened().one("Person")
            #expect(again.target("mentor") === again && again.texts("pupils", "name") == ["p"])
            person["mentor"] = nil
            try context.save()
            #expect(try f.reopened().one("Person").target("mentor") == nil)
        },
    ]
}

extension FaultingBehaviors {
    @Test(arguments: faults, StoreKind.allCases) func faulting(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
    @Test(arguments: relationships, StoreKind.allCases) func relating(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
}
