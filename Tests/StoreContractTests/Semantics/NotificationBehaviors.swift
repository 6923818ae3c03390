import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Testing

/// What contexts tell of their changes, of saves and of merges.
struct NotificationBehaviors {
    /// A merge of what `writer` saves while `body` runs into `reader`.
    private static func merging(
        _ writer: ManagedObjectContext, into reader: ManagedObjectContext, _ body: () throws -> Void
    ) throws {
        let observation = writer.observe(.didSave) { reader.mergeChanges(fromContextDidSave: $0) }
        try body()
        try writer.save()
        observation.cancel()
    }

    /// What `context` tells of an event while `body` runs.
    private static func told(
        _ context: ManagedObjectContext, _ event: ContextNotification.Event = .objectsDidChange,
        _ body: () throws -> Void
    ) rethrows -> [ContextNotification] {
        var told: [ContextNotification] = []
        let observation = context.observe(event) { told.append($0) }
        try body()
        observation.cancel()
        return told
    }

    static let news: [Behavior] = [
        Behavior("S8 L46", "a processed event tells of insertions, updates and deletions together") { f in
            let context = f.context()
            let tags = try context.saved("Tag", "word", ["a", "b"])
            let told = try told(context) {
                tags[0]["word"] = "c"
                context.delete(tags[1])
                try context.make("Tag", ["word": "d"])
                context.processPendingChanges()
            }
            #expect(
                told.count == 1 && told[0].inserted.count == 1 && told[0].updated == [tags[0]]
                    && told[0].deleted == [tags[1]] && told[0].refreshed.isEmpty)
        },
        Behavior("L47", "a new object that is set again is told of as updated") { f in
            let context = f.context()
            let object = try context.make("Tag", ["word": "a"])
            context.processPendingChanges()
            let told = told(context) {
                object["word"] = "b"
                context.processPendingChanges()
            }
            #expect(
                told.map(\.updated) == [[object]] && told[0].inserted.isEmpty && context.insertedObjects == [object])
        },
        Behavior("L31", "an announced insertion that is deleted is told of as deleted") { f in
            let context = f.context()
            let object = try context.make("Tag", ["word": "a"])
            context.processPendingChanges()
            let told = told(context) {
                context.delete(object)
                context.processPendingChanges()
            }
            #expect(told.map(\.deleted) == [[object]])
        },
        Behavior("L31", "one that was never announced is not told of at all") { f in
            let context = f.context()
            let told = try told(context) {
                context.delete(try context.make("Tag", ["word": "a"]))
                context.processPendingChanges()
            }
            #expect(told.isEmpty)
        },
        Behavior("F12 S8", "refreshing all tells of every object as refreshed") { f in
            let context = f.context()
            let tags = try context.saved("Tag", "word", ["a", "b"])
            let told = told(context) { context.refreshAllObjects() }
            #expect(told.map(\.refreshed) == [Set(tags)])
        },
        Behavior("F9 S8", "a refresh tells of its object") { f in
            let context = f.context()
            let tags = try context.saved("Tag", "word", ["a", "b"])
            let told = told(context) { context.refresh(tags[0], mergeChanges: false) }
            #expect(told.map(\.refreshed) == [[tags[0]]] && told[0].updated.isEmpty)
        },
        Behavior("F16 S8", "a reset tells of nothing but itself") { f in
            let context = f.context()
            try context.saved("Tag", "word", ["a"])
            let told = told(context) { context.reset() }
            #expect(
                told.map(\.isReset) == [true] && told[0].inserted.isEmpty && told[0].deleted.isEmpty
                    && told[0].refreshed.isEmpty)
        },
        Behavior("L45 S8", "a rollback tells of what it restored") { f in
            let context = f.context()
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            let told = told(context) { context.rollback() }
            #expect(told.map(\.refreshed) == [[object]])
        },
        Behavior("S47 Q37", "changes are told of when they are processed, by a fetch at the latest") { f in
            let context = f.context()
            var before = -1
            let told = try told(context) {
                try context.make("Tag", ["word": "a"])
                before = 0
                _ = try context.count("Tag")
            }
            #expect(before == 0 && told.count == 1)
        },
        Behavior("S1 S4", "an empty save tells of empty sets") { f in
            let context = f.context()
            let told = try told(context, .didSave) { try context.save() }
            #expect(told.count == 1 && told[0].changes.isEmpty)
        },
        Behavior("S6", "a save of a child tells temporary IDs of what is new") { f in
            let parent = f.context()
            let child = ManagedObjectContext(parent: parent)
            let told = try told(child, .didSave) {
                try child.make("Tag", ["word": "a"])
                try child.save()
            }
            #expect(
                told.count == 1 && told[0].changes.inserted.allSatisfy(\.isTemporaryID)
                    && told[0].changes.inserted.count == 1)
        },
        Behavior("S37", "a child's save is an event of the parent, and the parent's save tells all") { f in
            let parent = f.context()
            let child = ManagedObjectContext(parent: parent)
            let events = try told(parent) {
                for word in ["a", "b"] {
                    try child.make("Tag", ["word": word])
                    try child.save()
                }
            }
            #expect(events.map(\.inserted.count) == [1, 1])
            let saves = try told(parent, .didSave) { try parent.save() }
            #expect(saves.map(\.inserted.count) == [2])
        },
        Behavior("S43", "a merge tells of remote updates as refreshed, of remote insertions as inserted") { f in
            let writer = f.context(), context = f.context()
            let object = try writer.saved("Tag", "word", ["a"])[0]
            let same = try context.same(object)
            let told = try told(context) {
                try merging(writer, into: context) {
                    object["word"] = "b"
                    try writer.make("Tag", ["word": "c"])
                }
            }
            #expect(
                told.count == 1 && told[0].refreshed == [same] && told[0].inserted.count == 1 && told[0].updated.isEmpty
            )
        },
        Behavior("S44", "a merge is told of as one, with its IDs") { f in
            let writer = f.context(), context = f.context()
            let object = try writer.saved("Tag", "word", ["a"])[0]
            let told = try told(context, .didMerge) { try merging(writer, into: context) { object["word"] = "b" } }
            #expect(told.map(\.changes.updated) == [[object.objectID]])
        },
        Behavior("S39", "a follower tells of every insertion, of updates and deletions of what it knows alone") { f in
            let writer = f.context(), follower = f.context()
            let tags = try writer.saved("Tag", "word", ["a", "b", "c", "d"])
            follower.automaticallyMergesChangesFromParent = true
            let filled = try follower.same(tags[0]), doomed = try follower.same(tags[1])
            tags[0]["word"] = "A"
            tags[2]["word"] = "C"
            writer.delete(tags[1])
            writer.delete(tags[3])
            try writer.make("Tag", ["word": "e"])
            try writer.save()
            let told = told(follower) { follower.processPendingChanges() }
            #expect(
                told.count == 1 && told[0].inserted.count == 1 && told[0].refreshed == [filled]
                    && told[0].deleted == [doomed])
        },
        Behavior("S42", "what a merge brings is not saved again") { f in
            let writer = f.context(), context = f.context()
            let tags = try writer.saved("Tag", "word", ["a", "b"])
            let same = try tags.map { try context.same($0) }
            try merging(writer, into: context) {
                tags[0]["word"] = "c"
                writer.delete(tags[1])
                try writer.make("Tag", ["word": "d"])
            }
            #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && same[1].text("word") == "b")
            let told = try told(context, .didSave) { try context.save() }
            #expect(told.map(\.changes.isEmpty) == [true])
        },
        Behavior("S45 B3", "the IDs of a batch bring its work into several contexts") { f in
            let writer = f.context(), first = f.context(), second = f.context()
            let object = try writer.saved("Tag", "word", ["a"])[0]
            let same = try [first, second].map { try $0.same(object) }
            var request = BatchUpdateRequest(entityName: "Tag")
            request.propertiesToUpdate = ["weight": .constant(.int(9))]
            let changes = try writer.execute(request).changes
            #expect(same.allSatisfy { $0["weight"] == nil })
            ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [first, second])
            #expect(same.allSatisfy { $0.number("weight") == 9 } && !first.hasChanges)
        },
        Behavior("L28", "an ID's text leads back to it, in this store alone") { f in
            let object = try f.context().saved("Tag", "word", ["a"])[0]
            let text = object.objectID.uriRepresentation().absoluteString
            #expect(
                text.hasPrefix("x-coredata://\(object.objectID.storeUUID)/Tag/p")
                    && f.coordinator.managedObjectID(text: text) == object.objectID)
            #expect(PersistentStoreCoordinator(managedObjectModel: f.model).managedObjectID(text: text) == nil)
        },
    ]
}

extension NotificationBehaviors {
    @Test(arguments: news, StoreKind.allCases) func telling(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
}
