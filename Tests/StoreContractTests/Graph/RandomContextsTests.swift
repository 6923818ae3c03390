import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// Random edits, undo, redo, save, rollback, refresh and reset in a context, in a child of it and
/// in a second context beside it, compared after each step with plain values.
///
/// `FOLIO_RANDOM_SEEDS` says how many seeds each kind of store runs, `FOLIO_RANDOM_FIRST` which
/// comes first.
struct RandomContextsTests {
    /// One context and the states that it leads through.
    private final class Place {
        let context: ManagedObjectContext
        let undo = UndoManager()
        var past: [ReferenceGraph]
        var future: [ReferenceGraph] = []

        var present: ReferenceGraph {
            get { past[past.count - 1] }
            set { past[past.count - 1] = newValue }
        }

        init(_ context: ManagedObjectContext, _ state: ReferenceGraph) {
            self.context = context
            past = [state]
            context.undoManager = undo
        }

        /// Takes a new state, which is a step of undo if the manager has one more.
        func settle(_ state: ReferenceGraph, _ undoCount: Int) {
            if undo.undoCount > undoCount {
                past.append(state)
                future = []
            } else {
                present = state
            }
        }

        /// Begins anew: nothing that was can be undone.
        func begin(_ state: ReferenceGraph) {
            undo.removeAllActions()
            past = [state]
            future = []
        }
    }

    private final class Run {
        let fixture: GraphFixture
        let root, child, beside: Place
        let editor: RandomEditor
        var stored: ReferenceGraph

        init(_ fixture: GraphFixture, seed: UInt64) throws {
            self.fixture = fixture
            editor = RandomEditor(seed: seed)
            stored = ReferenceGraph(fixture.model)
            let context = fixture.context()
            root = Place(context, stored)
            child = Place(ManagedObjectContext(parent: context), stored)
            beside = Place(fixture.context(), stored)
        }

        // MARK: Edits

        private func edits(_ place: Place) throws {
            let count = place.undo.undoCount
            var state = place.present
            place.undo.beginUndoGrouping()
            for _ in 0..<editor.number(in: 1...4) { try editor.edit(place.context, &state) }
            place.undo.endUndoGrouping()
            place.settle(state, count)
        }

        private func undo(_ place: Place) {
            guard place.past.count > 1, place.undo.canUndo else { return }
            place.future.append(place.past.removeLast())
            place.context.undo()
        }

        private func redo(_ place: Place) {
            guard let next = place.future.popLast() else { return }
            place.context.redo()
            place.past.append(next)
        }

        // MARK: Steps

        /// The child sees what the parent has: it has no edits of its own when the parent changes.
        private func forgetChild() {
            child.context.reset()
            child.begin(root.present)
        }

        private func step() throws {
            let childIsClean = !child.context.hasChanges
            let choice = editor.number(in: 0...25)
            switch choice {
            case 0...4 where childIsClean:
                editor.trace.append("[root]")
                try edits(root)
                forgetChild()
            case 0...8:
                editor.trace.append("[child]")
                try edits(child)
            case 9 where childIsClean, 10 where childIsClean:
                editor.trace.append("[undo]")
                undo(root)
                forgetChild()
            case 11 where childIsClean:
                editor.trace.append("[redo]")
                redo(root)
                forgetChild()
            case 9...10:
                editor.trace.append("[child undo]")
                undo(child)
            case 11, 12:
                editor.trace.append("[child redo]")
                redo(child)
            case 13...15:
                editor.trace.append("[child save]")
                let count = root.undo.undoCount
                try child.context.save()
                root.settle(child.present, count)
                if child.context.hasChanges { throw RandomEditor.Deviation(description: "a saved child has changes") }
            case 16, 17:
                editor.trace.append("[save]")
                try root.context.save()
                stored = root.present
                if root.context.hasChanges { throw RandomEditor.Deviation(description: "a saved context has changes") }
            case 18 where childIsClean:
                editor.trace.append("[rollback]")
                root.context.rollback()
                root.begin(stored)
                forgetChild()
            case 18, 19:
                editor.trace.append("[child rollback]")
                child.context.rollback()
                child.begin(root.present)
            case 20:
                editor.trace.append("[refresh]")
                root.context.refreshAllObjects()
                child.context.refreshAllObjects()
            case 21 where childIsClean:
                editor.trace.append("[reset]")
                root.context.reset()
                root.begin(stored)
                forgetChild()
            case 22...24 where childIsClean && !root.context.hasChanges:
                try saveBeside()
            default:
                editor.trace.append("[process]")
                root.context.processPendingChanges()
                child.context.processPendingChanges()
            }
        }

        /// Another context saves, and this one merges it.
        private func saveBeside() throws {
            editor.trace.append("[beside]")
            beside.context.reset()
            beside.begin(stored)
            try edits(beside)
            let observation = beside.context.observe(.didSave) {
                self.root.context.mergeChanges(fromContextDidSave: $0)
            }
            try beside.context.save()
            observation.cancel()
            stored = beside.present
            root.begin(stored)
            forgetChild()
        }

        private func check(_ context: ManagedObjectContext, _ wanted: ReferenceGraph, _ what: String) throws {
            let found = try ReferenceGraph(of: context)
            if found != wanted {
                throw RandomEditor.Deviation(description: "\(what) has \(found.differences(from: wanted))")
            }
        }

        func go(_ steps: Int) throws {
            for _ in 0..<steps {
                try step()
                try check(root.context, root.present, "the context")
                try check(child.context, child.present, "the child")
            }
            try check(fixture.context(), stored, "a new context")
            try check(fixture.reopened(), stored, "the store")
            // Everything back and forth again.
            while child.past.count > 1, child.undo.canUndo { undo(child) }
            try check(child.context, child.present, "the child, all undone,")
            child.context.rollback()
            while root.past.count > 1, root.undo.canUndo { undo(root) }
            try check(root.context, root.present, "the context, all undone,")
            while !root.future.isEmpty { redo(root) }
            try check(root.context, root.present, "the context, all made again,")
            try root.context.save()
            try check(fixture.reopened(), root.present, "the store at last")
        }
    }

    @Test(arguments: RandomEditor.seeds(12), StoreKind.allCases) func contextsDoWhatPlainValuesDo_U5_U10_S32_S41_L45(
        seed: Int, kind: StoreKind
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let run = try Run(fixture, seed: UInt64(seed))
            do { try run.go(60) } catch {
                Issue.record("seed \(seed), \(kind.rawValue): \(error)\n\(run.editor.trace.joined(separator: " "))")
            }
        }
    }
}
