import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// Random edits, undo, redo, save, rollback, refresh and reset in a context, in a child of it and in a second context beside it, compared after each step with plain values.
///
/// `FOLIO_RANDOM_SEEDS` says how many seeds each kind of store runs, `FOLIO_RANDOM_FIRST` which comes first.
@Suite struct RandomContextsTests {
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

    private struct Deviation: Error, CustomStringConvertible {
        let description: String
    }

    private final class Run {
        let fixture: GraphFixture
        let root, child, beside: Place
        var stored: ReferenceGraph
        var random: SplitMix
        var trace: [String] = []
        private var lastNumber = 0

        init(_ fixture: GraphFixture, seed: UInt64) throws {
            self.fixture = fixture
            random = SplitMix(state: seed)
            stored = ReferenceGraph(fixture.model)
            let context = fixture.context()
            root = Place(context, stored)
            child = Place(ManagedObjectContext(parent: context), stored)
            beside = Place(fixture.context(), stored)
        }

        // MARK: Edits

        private func object(_ name: String, in place: Place) throws -> ManagedObject {
            guard let entity = place.present.nodes[name]?.entity, let key = ReferenceGraph.names[entity]?.name else { throw Deviation(description: "there is no \(name)") }
            return try place.context.one(entity, "\(key) == '\(name)'")
        }

        private func edit(_ place: Place, _ state: inout ReferenceGraph) throws {
            let names = state.nodes.keys.sorted()
            func object(_ name: String) throws -> ManagedObject {
                guard let entity = state.nodes[name]?.entity, let key = ReferenceGraph.names[entity]?.name else { throw Deviation(description: "there is no \(name)") }
                return try place.context.one(entity, "\(key) == '\(name)'")
            }
            let choice = Int.random(in: 0..<20, using: &random)
            guard choice >= 5, let name = names.randomElement(using: &random) else { return try insert(place, &state) }
            let some = try object(name)
            if choice < 7 {
                guard let key = ReferenceGraph.names[state.nodes[name]?.entity ?? ""]?.number else { return }
                let number = Bool.random(using: &random) ? Int.random(in: 0..<100, using: &random) : nil
                trace.append("\(name).\(key) = \(number ?? -1)")
                some[key] = number
                return state.setNumber(number, of: name)
            }
            if choice < 9 {
                trace.append("delete \(name)")
                place.context.delete(some)
                place.context.processPendingChanges()
                return state.delete(name)
            }
            guard let relationship = state.relationships(of: name).randomElement(using: &random) else { return }
            let key = relationship.key
            let candidates = state.candidates(for: relationship), members = state.links(name, key)
            switch choice {
            case 9, 10:
                let others = Array(candidates.shuffled(using: &random).prefix(relationship.isToMany ? Int.random(in: 0...3, using: &random) : 1))
                trace.append("\(name).\(key) = \(others)")
                let objects = try others.map(object)
                if !relationship.isToMany { some[key] = objects.first } else if relationship.isOrdered { some[key] = objects } else { some[key] = Set(objects) }
                if relationship.isToMany || others.isEmpty { state.replace(name, key, by: others) } else { state.link(name, key, others[0]) }
            case 11, 12:
                guard let other = members.randomElement(using: &random) else { return }
                trace.append("\(name).\(key) - \(other)")
                if !relationship.isToMany {
                    some[key] = nil
                } else if relationship.isOrdered {
                    some.mutableOrderedSetValue(forKey: key).remove(try object(other))
                } else {
                    some.mutableSetValue(forKey: key).remove(try object(other))
                }
                state.unlink(name, key, other)
            case 13 where relationship.isOrdered && members.count > 1:
                trace.append("\(name).\(key) moved")
                some.mutableOrderedSetValue(forKey: key).moveObjects(at: [members.count - 1], to: 0)
                state.replace(name, key, by: [members[members.count - 1]] + members.dropLast())
            default:
                guard let other = candidates.randomElement(using: &random) else { return }
                trace.append("\(name).\(key) + \(other)")
                if !relationship.isToMany {
                    some[key] = try object(other)
                } else if relationship.isOrdered {
                    some.mutableOrderedSetValue(forKey: key).add(try object(other))
                } else {
                    some.mutableSetValue(forKey: key).add(try object(other))
                }
                state.link(name, key, other)
            }
        }

        private func insert(_ place: Place, _ state: inout ReferenceGraph) throws {
            lastNumber += 1
            let name = "n\(lastNumber)"
            guard let entity = ["Person", "Person", "Account", "Account", "Savings", "Tag", "Entry", "Entry", "Card"].randomElement(using: &random),
                let keys = ReferenceGraph.names[entity]
            else { return }
            trace.append("\(entity) \(name)")
            let new = try place.context.make(entity, [keys.name: name])
            if let number = keys.number { new[number] = lastNumber }
            state.insert(name, entity, number: keys.number == nil ? nil : lastNumber)
        }

        private func edits(_ place: Place) throws {
            let count = place.undo.undoCount
            var state = place.present
            place.undo.beginUndoGrouping()
            for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(place, &state) }
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
            let choice = Int.random(in: 0..<26, using: &random)
            switch choice {
            case 0...4 where childIsClean:
                trace.append("[root]")
                try edits(root)
                forgetChild()
            case 0...8:
                trace.append("[child]")
                try edits(child)
            case 9 where childIsClean, 10 where childIsClean:
                trace.append("[undo]")
                undo(root)
                forgetChild()
            case 11 where childIsClean:
                trace.append("[redo]")
                redo(root)
                forgetChild()
            case 9...10:
                trace.append("[child undo]")
                undo(child)
            case 11, 12:
                trace.append("[child redo]")
                redo(child)
            case 13...15:
                trace.append("[child save]")
                let count = root.undo.undoCount
                try child.context.save()
                root.settle(child.present, count)
                if child.context.hasChanges { throw Deviation(description: "a saved child has changes") }
            case 16, 17:
                trace.append("[save]")
                try root.context.save()
                stored = root.present
                if root.context.hasChanges { throw Deviation(description: "a saved context has changes") }
            case 18 where childIsClean:
                trace.append("[rollback]")
                root.context.rollback()
                root.begin(stored)
                forgetChild()
            case 18, 19:
                trace.append("[child rollback]")
                child.context.rollback()
                child.begin(root.present)
            case 20:
                trace.append("[refresh]")
                root.context.refreshAllObjects()
                child.context.refreshAllObjects()
            case 21 where childIsClean:
                trace.append("[reset]")
                root.context.reset()
                root.begin(stored)
                forgetChild()
            case 22...24 where childIsClean && !root.context.hasChanges:
                try saveBeside()
            default:
                trace.append("[process]")
                root.context.processPendingChanges()
                child.context.processPendingChanges()
            }
        }

        /// Another context saves, and this one merges it.
        private func saveBeside() throws {
            trace.append("[beside]")
            beside.context.reset()
            beside.begin(stored)
            try edits(beside)
            let observation = beside.context.observe(.didSave) { self.root.context.mergeChanges(fromContextDidSave: $0) }
            try beside.context.save()
            observation.cancel()
            stored = beside.present
            root.begin(stored)
            forgetChild()
        }

        private func check(_ context: ManagedObjectContext, _ wanted: ReferenceGraph, _ what: String) throws {
            let found = try ReferenceGraph(of: context)
            if found != wanted { throw Deviation(description: "\(what) has \(found.differences(from: wanted))") }
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

    private static func variable(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    private static let seeds: [Int] = {
        let first = variable("FOLIO_RANDOM_FIRST") ?? 1
        return Array(first..<(first + (variable("FOLIO_RANDOM_SEEDS") ?? 12)))
    }()

    @Test(arguments: seeds, StoreKind.allCases) func contextsDoWhatPlainValuesDo_U5_U10_S32_S41_L45(seed: Int, kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let run = try Run(fixture, seed: UInt64(seed))
            do { try run.go(60) } catch {
                Issue.record("seed \(seed), \(kind.rawValue): \(error)\n\(run.trace.joined(separator: " "))")
            }
        }
    }
}
