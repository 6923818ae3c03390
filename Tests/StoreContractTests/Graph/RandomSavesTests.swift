import ObjectGraph
import Query
import Schema
import Storage
import Testing

/// Two contexts that edit the same objects, save now or in the background, and are refreshed and
/// merged in between, at random. Whatever they did to each other: the store is a graph without
/// one-sided or dangling links, and both contexts show it.
struct RandomSavesTests {
    private final class Side {
        let context: ManagedObjectContext
        var underWay: PreparedSave?

        init(_ context: ManagedObjectContext) { self.context = context }
    }

    private struct Round {
        let fixture: GraphFixture
        let editor: RandomEditor
        let sides: [Side]
        let policies: [MergePolicyType] = [
            .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ]

        private func graph(of context: ManagedObjectContext, _ what: String) throws -> ReferenceGraph {
            do { return try ReferenceGraph(of: context) } catch {
                throw RandomEditor.Deviation(description: "in \(what) \(error)")
            }
        }

        func run() throws {
            for side in sides { side.context.reset() }
            let policy = policies[editor.number(in: 0...3)]
            editor.trace.append("[\(policy)]")
            for (side, name) in zip(sides, ["A", "B"]) {
                side.context.mergePolicy = MergePolicy(merge: policy)
                side.context.automaticallyMergesChangesFromParent = editor.number(in: 0...2) == 0
                if side.context.automaticallyMergesChangesFromParent { editor.trace.append("[\(name) merges]") }
            }
            for _ in 0..<editor.number(in: 1...20) {
                let index = editor.number(in: 0...1)
                editor.trace.append(index == 0 ? "A:" : "B:")
                try step(sides[index], other: sides[1 - index])
            }
            for (side, name) in zip(sides, ["A", "B"]) {
                editor.trace.append("\(name) saves")
                try finish(side)
                try side.context.save()
                if side.context.hasChanges { throw RandomEditor.Deviation(description: "a saved context has changes") }
            }
            let stored = try graph(of: fixture.context(), "the store")
            if !stored.oneSided.isEmpty {
                throw RandomEditor.Deviation(description: "in the store \(stored.oneSided.joined(separator: ", "))")
            }
            for (side, name) in zip(sides, ["A", "B"]) {
                side.context.refreshAllObjects()
                let shown = try graph(of: side.context, name)
                if shown != stored {
                    throw RandomEditor.Deviation(description: "\(name) shows \(shown.differences(from: stored))")
                }
            }
        }

        private func step(_ side: Side, other: Side) throws {
            let context = side.context
            switch editor.number(in: 0...15) {
            case 0:
                guard side.underWay == nil else { return try finish(side) }
                editor.trace.append("save")
                try context.save()
            case 1, 2:
                guard side.underWay == nil else { return try finish(side) }
                editor.trace.append("prepare")
                side.underWay = try context.prepareSave(reservesKeys: true)
            case 3:
                editor.trace.append("refresh all")
                context.refreshAllObjects()
            case 4, 5:
                let objects = context.updatedObjects.union(context.deletedObjects).sorted {
                    $0.objectID.description < $1.objectID.description
                }
                guard !objects.isEmpty else { return }
                let object = objects[editor.number(in: 0...(objects.count - 1))]
                editor.trace.append("refresh \(object.objectID)")
                context.refresh(object, mergeChanges: true)
            case 6:
                editor.trace.append("process")
                context.processPendingChanges()
            default:
                // An object that somebody else deleted may still be led to here.
                guard var state = try? ReferenceGraph(of: context) else { return }
                try editor.edit(context, &state)
            }
        }

        private func finish(_ side: Side) throws {
            var next = side.underWay
            side.underWay = nil
            while let prepared = next {
                editor.trace.append("apply")
                do {
                    side.context.completeSave(prepared, try fixture.coordinator.stores[0].apply(prepared.changes))
                    next = nil
                } catch {
                    editor.trace.append("again")
                    next = try side.context.prepareSave(again: prepared, after: error)
                }
            }
        }
    }

    @Test(arguments: RandomEditor.seeds(12), StoreKind.allCases)
    func howeverTwoContextsSaveTheGraphStaysSound_S17_S18_S19_S20(seed: Int, kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let round = Round(
                fixture: fixture, editor: RandomEditor(seed: UInt64(seed)),
                sides: [Side(fixture.context()), Side(fixture.context())])
            do {
                for _ in 0..<25 {
                    round.editor.trace = []
                    try round.run()
                }
            } catch {
                Issue.record("seed \(seed), \(kind.rawValue): \(error)\n\(round.editor.trace.joined(separator: " "))")
            }
        }
    }
}
