import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import Testing

/// What contexts hold, and how they settle what several of them did.
struct ContextBehaviors {
    static let heldObjects: [Behavior] = [
        Behavior("F13", "a refresh reads what the store has, however long the values have been here") { f in
            let context = f.context(), other = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            for word in ["b", "c"] {
                try other.same(object)["word"] = word
                try other.save()
                context.refresh(object, mergeChanges: false)
                #expect(object.text("word") == word)
            }
        },
        Behavior("F15 F27", "an object holds the members that it has read, until it is refreshed") { f in
            let writer = f.context()
            let person = try writer.make("Person", ["name": "p"])
            for title in ["a", "b"] { try writer.make("Account", ["title": title, "owner": person]) }
            try writer.save()
            let context = f.context()
            let same = try context.one("Person")
            _ = same["accounts"]
            #expect(context.registeredObjects.count == 3)
            context.refresh(same, mergeChanges: false)
            #expect(context.registeredObjects == [same])
        },
        Behavior("F20 F22", "a fault that can't be filled is an error of the accessors that throw, and stays as it is")
        { f in
            let writer = f.context(), context = f.context()
            context.shouldDeleteInaccessibleFaults = false
            let object = try writer.saved("Tag", "word", ["a"])[0]
            let fault = context.object(with: object.objectID)
            writer.delete(object)
            try writer.save()
            #expect(
                #expect(throws: GraphError.self) { try fault.propertyValue(forKey: "word") }?.code == .objectNotFound)
            #expect(
                #expect(throws: GraphError.self) { try context.existingObject(with: fault.objectID) }?.cocoaCode
                    == 133_000)
            #expect(fault.isFault && !fault.isDeleted && !context.hasChanges)
        },
        Behavior("F21", "inaccessible faults are deleted objects unless a context says otherwise") { f in
            #expect(f.context().shouldDeleteInaccessibleFaults)
        },
        Behavior("F14", "a deleted object is held until the save") { f in
            try f.context().saved("Tag", "word", ["a"])
            let context = f.context()
            context.delete(try context.one("Tag"))
            #expect(context.registeredObjects.count == 1)
            try context.save()
            #expect(context.registeredObjects.isEmpty)
        },
        Behavior("R6", "a mutable set is a live view") { f in
            let context = f.context()
            let person = try context.make("Person", [:])
            let view = person.mutableSetValue(forKey: "accounts")
            let account = try context.make("Account", ["owner": person])
            #expect(view.count == 1 && view.contains(account))
            view.remove(account)
            #expect(account.target("owner") == nil && view.isEmpty)
            view.union([account, try context.make("Account", [:])])
            #expect(account.target("owner") === person && view.allObjects.count == 2)
            view.removeAll()
            #expect(person.texts("accounts", "title") == [])
        },
        Behavior("R6 R7", "a mutable ordered set is one too, and places what it is given") { f in
            let context = f.context()
            let account = try context.make("Account", [:])
            let view = account.mutableOrderedSetValue(forKey: "entries")
            let entries = try ["a", "b", "c", "d"].map { try context.make("Entry", ["text": $0]) }
            for entry in entries { view.add(entry) }
            view.moveObjects(at: [2, 3], to: 0)
            #expect(account.texts("entries", "text") == ["c", "d", "a", "b"] && view.index(of: entries[0]) == 2)
            view.remove(at: 0)
            view.insert(entries[2], at: 2)
            #expect(
                account.texts("entries", "text") == ["d", "a", "c", "b"] && entries[2].target("account") === account)
            try context.save()
            #expect(try f.reopened().one("Account").texts("entries", "text") == ["d", "a", "c", "b"])
        },
        Behavior("L10", "asking for changed values reads no relationship") { f in
            let writer = f.context(), context = f.context()
            try writer.make("Account", ["title": "a", "tags": Set([try writer.make("Tag", ["word": "t"])])])
            try writer.save()
            let account = try context.one("Account")
            account["title"] = "b"
            #expect(
                account.hasPersistentChangedValues && account.changedValues().count == 1
                    && account.hasFault(forRelationshipNamed: "tags"))
        },
        Behavior("Q3", "a context without a store fetches nothing and saves nothing, and says why") { f in
            let context = ManagedObjectContext(PersistentStoreCoordinator(managedObjectModel: f.model))
            #expect(#expect(throws: GraphError.self) { try context.count("Tag") }?.code == .noStore)
            try context.make("Tag", [:])
            #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .noStore)
            #expect(context.insertedObjects.count == 1)
        },
    ]
}

extension ContextBehaviors {
    static let stores: [Behavior] = [
        Behavior("C2", "a coordinator knows the kinds of stores that come with it, and those that are registered") {
            f in
            let types = f.coordinator.registeredStoreTypes
            #expect(
                types.contains(f.kind.factory.type) && Set([.sqlite, .binary, .xml, .inMemory]).isSubset(of: types))
        },
        Behavior("C12 C11", "a store of another model is not opened, and stays as it was") { f in
            try f.context().saved("Tag", "word", ["a"])
            guard f.kind.hasFile else { return }
            let other = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel(entities: [
                    EntityDefinition("Other", attributes: [.init("x", .string)])
                ])
            )
            other.registerSamples()
            var description = f.description
            description.migratesAutomatically = false
            #expect(throws: StorageError.self) { try other.addPersistentStore(description) }
            #expect(other.persistentStores.isEmpty)
            #expect(try f.reopened().found("Tag", by: "word") == ["a"])
        },
        Behavior("C13 C10", "a store is not opened as one of another type") { f in
            guard f.kind.hasFile else { return }
            try f.context().saved("Tag", "word", ["a"])
            try f.coordinator.removePersistentStores()
            for type in [StoreType.sqlite, .binary, .xml] where type != f.kind.factory.type {
                let other = PersistentStoreCoordinator(managedObjectModel: f.model)
                #expect(throws: StorageError.self, "\(type)") {
                    try other.addPersistentStore(PersistentStoreDescription(url: f.description.url, type: type))
                }
            }
            #expect(try f.reopened().found("Tag", by: "word") == ["a"])
        },
        Behavior("C17", "a store that is opened for reading gives its objects and takes none") { f in
            guard f.kind.hasFile else { return }
            try f.context().saved("Tag", "word", ["a"])
            let other = PersistentStoreCoordinator(managedObjectModel: f.model)
            other.registerSamples()
            var description = f.description
            description.isReadOnly = true
            try other.addPersistentStore(description)
            try withContext(other) { context throws in
                #expect(try context.found("Tag", by: "word") == ["a"])
                try context.make("Tag", ["word": "b"])
                #expect(throws: StorageError.self) { try context.save() }
                #expect(context.insertedObjects.count == 1)
            }
            try other.removePersistentStores()
            #expect(try f.reopened().found("Tag", by: "word") == ["a"])
        },
    ]

    static let conflicts: [Behavior] = [
        Behavior("S12 S9", "two contexts over one store of any kind conflict, and each save raises the version") { f in
            let first = f.context(), second = f.context()
            let object = try first.saved("Tag", "word", ["a"])[0]
            let same = try second.same(object)
            for weight in 1...3 {
                object["weight"] = weight
                try first.save()
            }
            same["weight"] = 9
            let conflict = #expect(throws: GraphError.self) { try second.save() }?.conflicts.first
            #expect(
                conflict?.oldVersion == 1 && conflict?.newVersion == 4
                    && conflict?.persistedSnapshot?["weight"] == .int(3))
        },
        Behavior("S14 S15", "snapshots have attributes and to-one IDs, and no to-many") { f in
            let first = f.context(), second = f.context()
            let person = try first.make("Person", ["name": "p"])
            let account = try first.make(
                "Account", ["title": "a", "owner": person, "tags": Set([try first.make("Tag", [:])])])
            try first.save()
            let same = try second.same(account)
            account["title"] = "b"
            try first.save()
            same["title"] = "c"
            let conflict = #expect(throws: GraphError.self) { try second.save() }?.conflicts.first
            #expect(
                conflict?.objectSnapshot["title"] == .string("a")
                    && conflict?.objectSnapshot["owner"] == .object(person.objectID)
                    && conflict?.objectSnapshot["tags"] == nil)
        },
        Behavior("S18 S13", "an object that is gone from the store has no new version") { f in
            let first = f.context(), second = f.context()
            let object = try first.saved("Tag", "word", ["a"])[0]
            let same = try second.same(object)
            first.delete(object)
            try first.save()
            same["word"] = "b"
            let conflict = #expect(throws: GraphError.self) { try second.save() }?.conflicts.first
            #expect(conflict?.newVersion == 0 && conflict?.persistedSnapshot == nil && same.isUpdated)
        },
        Behavior("V22", "failures have Core Data's numbers") { f in
            let first = f.context(), second = f.context()
            let object = try first.saved("Tag", "word", ["a"])[0]
            let same = try second.same(object)
            object["weight"] = 1
            try first.save()
            same["weight"] = 2
            #expect(#expect(throws: GraphError.self) { try second.save() }?.cocoaCode == 133_020)
            try first.make("Tag", ["word": "a"])
            #expect(#expect(throws: GraphError.self) { try first.save() }?.cocoaCode == 133_021)
        },
        Behavior(
            "S25 S26", "every kind of store keeps values unique, and a duplicate hinders each save until it is gone"
        ) { f in
            let context = f.context()
            try context.saved("Tag", "word", ["a"])
            let duplicate = try context.make("Tag", ["word": "a"])
            for _ in 0..<2 { #expect(#expect(throws: GraphError.self) { try context.save() }?.code == .constraint) }
            context.delete(duplicate)
            try context.make("Tag", ["word": "b"])
            try context.save()
            #expect(try f.reopened().found("Tag", by: "word") == ["a", "b"])
        },
        Behavior("S28 S29", "a new object takes the place of the stored one where it trumps, with all its values") {
            f in
            let context = f.context(.mergeByPropertyObjectTrump)
            let stored = try context.make("Tag", ["word": "a", "weight": 1, "comment": "old"])
            try context.save()
            let id = stored.objectID
            let new = try context.make("Tag", ["word": "a", "weight": 2])
            try context.save()
            #expect(new.objectID == id)
            let again = try f.reopened().one("Tag")
            #expect(again.number("weight") == 2 && again["comment"] == nil)
        },
        Behavior("S22 S23", "a policy of one's own sets what is saved") { f in
            let policy = MergePolicy.custom(.mergeByPropertyObjectTrump) { conflict, object in
                guard case .int(let theirs)? = conflict.persistedSnapshot?["weight"],
                    case .int(let mine)? = try? object.propertyValue(forKey: "weight")
                else { return }
                object["weight"] = theirs + mine
            }
            let first = f.context(), second = f.context(policy)
            let object = try first.saved("Tag", "word", ["a"])[0]
            let same = try second.same(object)
            object["weight"] = 10
            try first.save()
            same["weight"] = 5
            try second.save()
            #expect(try f.reopened().one("Tag").number("weight") == 15)
        },
        Behavior("S31", "what has duplicates is made unique by no migration") { f in
            var description = f.model.definition
            for index in description.entities.indices { description.entities[index].uniquenessConstraints = [] }
            let loose = try ManagedObjectModel(description)
            guard f.kind == .sqlite else { return }
            var store = f.description
            store.url = f.description.url.deletingLastPathComponent().appendingPathComponent("Loose.sqlite")
            let coordinator = PersistentStoreCoordinator(managedObjectModel: loose)
            try coordinator.addPersistentStore(store)
            try withContext(coordinator) { context throws in _ = try context.saved("Tag", "word", ["a", "a"]) }
            try coordinator.removePersistentStores()
            let strict = PersistentStoreCoordinator(managedObjectModel: f.model)
            #expect(throws: (any Error).self) { try strict.addPersistentStore(store) }
            // The store is as it was.
            try coordinator.addPersistentStore(store)
            try withContext(coordinator) { context throws in #expect(try context.count("Tag") == 2) }
            try coordinator.removePersistentStores()
        },
        Behavior("S35", "a permanent ID that a child obtains is the parent's and the store's") { f in
            let parent = f.context()
            let child = ManagedObjectContext(parent: parent)
            let object = try child.make("Tag", ["word": "a"])
            try child.obtainPermanentIDs(for: [object])
            let id = object.objectID
            #expect(!id.isTemporaryID)
            try child.save()
            #expect(parent.registeredObject(for: id)?.text("word") == "a")
            try parent.save()
            #expect(try f.reopened().one("Tag").objectID.uriRepresentation() == id.uriRepresentation())
        },
        Behavior("B29", "a child of a child reads and saves through both") { f in
            let root = f.context()
            let middle = ManagedObjectContext(parent: root)
            let leaf = ManagedObjectContext(parent: middle)
            try root.make("Tag", ["word": "r"])
            #expect(try leaf.found("Tag", by: "word") == ["r"])
            let new = try leaf.make("Tag", ["word": "l"])
            try leaf.one("Tag", "word == 'r'")["weight"] = 4
            try leaf.save()
            #expect(try middle.hasChanges && root.count("Tag") == 1)
            try middle.save()
            #expect(try root.count("Tag") == 2 && f.context().count("Tag") == 0)
            try root.save()
            #expect(!new.objectID.isTemporaryID)
            #expect(try f.reopened().one("Tag", "word == 'r'").number("weight") == 4)
        },
    ]
}

extension ContextBehaviors {
    static let ruled: [Behavior] = [
        Behavior("F19 V16", "an inaccessible fault is asked for nothing at the save") { f in
            let writer = f.context(), context = f.context()
            let object = try writer.make("Rule", [:])
            try writer.save()
            let fault = context.object(with: object.objectID)
            writer.delete(object)
            try writer.save()
            #expect(fault["needed"] == nil && fault.isDeleted)
            try context.save()
            #expect(!context.hasChanges && fault.managedObjectContext == nil)
        },
        Behavior("V14 C11", "other defaults and rules leave a store openable without migration") { f in
            try f.context().make("Rule", ["needed": "y"]).managedObjectContext?.save()
            guard f.kind.hasFile else { return }
            var description = f.model.definition
            for index in description.entities.indices where description.entities[index].name == "Rule" {
                for place in description.entities[index].attributes.indices {
                    description.entities[index].attributes[place].defaultValue = nil
                    description.entities[index].attributes[place].minimumValue = nil
                    description.entities[index].attributes[place].maximumValue = nil
                }
            }
            let model = try ManagedObjectModel(description)
            #expect(model.versionHashesByEntityName == f.model.versionHashesByEntityName)
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            coordinator.registerSamples()
            try coordinator.addPersistentStore(f.description)
            let context = ManagedObjectContext(coordinator)
            #expect(try context.one("Rule").text("needed") == "y")
            let new = try context.make("Rule", ["number": 1000, "needed": "z"])
            try context.save()
            #expect(new.number("number") == 1000)
            try coordinator.removePersistentStores()
        },
    ]
}

extension ContextBehaviors {
    @Test(arguments: heldObjects, StoreKind.allCases) func holding(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
    @Test(arguments: ruled, StoreKind.allCases) func holding(to behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, model: SavingBehaviors.rules())
    }
    @Test(arguments: stores, StoreKind.allCases) func opening(a behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
    @Test(arguments: conflicts, StoreKind.allCases) func conflicting(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
}
