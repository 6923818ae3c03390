import ObjectGraph
import Testing

/// Steps of undo: what is one, who knows it, what comes back.
struct UndoBehaviors {
    private static func undoing(_ f: GraphFixture) -> (ManagedObjectContext, UndoManager) {
        let context = f.context(), manager = UndoManager()
        context.undoManager = manager
        return (context, manager)
    }

    static let undos: [Behavior] = [
        Behavior("U1 U17", "a context has no manager of undo of its own") { f in
            #expect(f.context().undoManager == nil)
        },
        Behavior("U3", "edits of one event are one step") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            manager.removeAllActions()
            object["word"] = "b"
            object["weight"] = 1
            object["word"] = "c"
            context.processPendingChanges()
            object["weight"] = 2
            context.processPendingChanges()
            manager.undo()
            #expect(object.text("word") == "c" && object.number("weight") == 1)
            manager.undo()
            #expect(object.text("word") == "a" && object["weight"] == nil && !manager.canUndo)
        },
        Behavior("U5", "transient values are undone too") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Person", "name", ["p"])[0]
            object["scratch"] = "s"
            context.processPendingChanges()
            manager.undo()
            #expect(object["scratch"] == nil)
            manager.redo()
            #expect(object.text("scratch") == "s")
        },
        Behavior("U12", "a manager that is taken away takes what it knew along") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            object["word"] = "b"
            context.processPendingChanges()
            context.undoManager = nil
            #expect(!manager.canUndo)
            manager.undo()
            #expect(object.text("word") == "b")
        },
        Behavior("U13", "two contexts share a manager, each with its own steps") { f in
            let (context, manager) = undoing(f)
            let other = f.context()
            other.undoManager = manager
            let first = try context.saved("Tag", "word", ["a"])[0], second = try other.saved("Tag", "word", ["b"])[0]
            manager.removeAllActions()
            first["word"] = "A"
            context.processPendingChanges()
            second["word"] = "B"
            other.processPendingChanges()
            manager.undo()
            #expect(first.text("word") == "A" && second.text("word") == "b")
            context.rollback()
            // The step of the one is forgotten, that of the other can be made again.
            #expect(!manager.canUndo && manager.canRedo)
            manager.redo()
            #expect(second.text("word") == "B")
        },
        Behavior("U14", "names and levels are the manager's") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            manager.removeAllActions()
            manager.levelsOfUndo = 2
            for word in ["b", "c", "d"] {
                object["word"] = word
                context.processPendingChanges()
                manager.setActionName("Spell \(word)")
            }
            #expect(manager.undoActionName == "Spell d")
            manager.undo()
            #expect(manager.redoActionName == "Spell d" && manager.undoActionName == "Spell c")
            manager.undo()
            manager.undo()
            #expect(object.text("word") == "b")
        },
        Behavior("U16", "what can be undone is held") { f in
            try f.context().saved("Tag", "word", ["a"])
            let (context, manager) = undoing(f)
            try context.one("Tag")["word"] = "b"
            try context.save()
            #expect(context.registeredObjects.count == 1)
            manager.removeAllActions()
            #expect(context.registeredObjects.isEmpty)
        },
        Behavior("U17", "a manager tells of groups, undo and redo") { f in
            let (context, manager) = undoing(f)
            var told: [UndoManager.Event] = []
            manager.observe { told.append($0) }
            try context.make("Tag", ["word": "a"])
            context.processPendingChanges()
            manager.undo()
            manager.redo()
            #expect(
                told.filter { $0 == .didUndo || $0 == .didRedo } == [.didUndo, .didRedo] && told.first == .didOpenGroup)
        },
        Behavior("U15 S7", "a fetch and a refresh are no steps") { f in
            try f.context().saved("Tag", "word", ["a"])
            let (context, manager) = undoing(f)
            let object = try context.one("Tag")
            _ = object["word"]
            context.refresh(object, mergeChanges: false)
            context.refreshAllObjects()
            context.processPendingChanges()
            #expect(!manager.canUndo)
        },
        Behavior("U8", "a reset forgets what could be undone") { f in
            let (context, manager) = undoing(f)
            try context.make("Tag", ["word": "a"])
            context.processPendingChanges()
            context.reset()
            #expect(!manager.canUndo && !manager.canRedo)
        },
        Behavior("U4", "groups in groups are one step") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["a"])[0]
            manager.removeAllActions()
            manager.beginUndoGrouping()
            object["word"] = "b"
            manager.beginUndoGrouping()
            object["weight"] = 1
            manager.endUndoGrouping()
            object["comment"] = "c"
            manager.endUndoGrouping()
            manager.undo()
            #expect(
                object.text("word") == "a" && object["weight"] == nil && object["comment"] == nil && !manager.canUndo)
        },
        Behavior("U10", "undo and redo across several saves lead through all states") { f in
            let (context, manager) = undoing(f)
            let object = try context.saved("Tag", "word", ["0"])[0]
            manager.removeAllActions()
            for word in ["1", "2", "3"] {
                object["word"] = word
                try context.save()
            }
            for word in ["2", "1", "0"] {
                manager.undo()
                try context.save()
                #expect(try f.context().one("Tag").text("word") == word)
            }
            for word in ["1", "2", "3"] {
                manager.redo()
                #expect(object.text("word") == word)
            }
            try context.save()
            #expect(try f.reopened().one("Tag").text("word") == "3")
        },
    ]
}

extension UndoBehaviors {
    @Test(arguments: undos, StoreKind.allCases) func takingBack(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
}
