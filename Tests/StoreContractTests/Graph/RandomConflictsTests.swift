import ObjectGraph
import Query
import Schema
import Testing

/// Two contexts that edit the same objects at random and save by a merge policy. Whatever they did
/// to each other: the store is a graph without one-sided or dangling links, and both contexts show
/// it.
struct RandomConflictsTests {
    private struct Round {
        let fixture: GraphFixture
        let editor: RandomEditor
        let contexts: [ManagedObjectContext]
        let policies: [MergePolicyType] = [
            .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ]

        private func graph(of context: ManagedObjectContext, _ what: String) throws -> ReferenceGraph {
            do { return try ReferenceGraph(of: context) } catch {
                throw RandomEditor.Deviation(description: "in \(what) \(error)")
            }
        }

        func run() throws {
            for context in contexts { context.reset() }
            let start = try ReferenceGraph(of: contexts[0])
            var states = [start, start]
            let policy = policies[editor.number(in: 0...3)]
            editor.trace.append("[\(policy)]")
            for _ in 0..<editor.number(in: 1...10) {
                let side = editor.number(in: 0...1)
                editor.trace.append(side == 0 ? "A:" : "B:")
                try editor.edit(contexts[side], &states[side])
            }
            let isFirstA = editor.number(in: 0...1) == 0
            editor.trace.append(isFirstA ? "A saves" : "B saves")
            for context in isFirstA ? contexts : contexts.reversed() {
                context.mergePolicy = MergePolicy(merge: policy)
                try context.save()
                if context.hasChanges { throw RandomEditor.Deviation(description: "a saved context has changes") }
            }
            let stored = try graph(of: fixture.context(), "the store")
            if !stored.oneSided.isEmpty {
                throw RandomEditor.Deviation(description: "in the store \(stored.oneSided.joined(separator: ", "))")
            }
            for (context, name) in zip(contexts, ["A", "B"]) {
                context.refreshAllObjects()
                let shown = try graph(of: context, name)
                if shown != stored {
                    throw RandomEditor.Deviation(description: "\(name) shows \(shown.differences(from: stored))")
                }
            }
        }
    }

    @Test(arguments: RandomEditor.seeds(12), StoreKind.allCases)
    func whateverTwoContextsDoTheGraphStaysSound_S17_S18_S19_S20(seed: Int, kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let round = Round(
                fixture: fixture, editor: RandomEditor(seed: UInt64(seed)),
                contexts: [fixture.context(), fixture.context()])
            do {
                for _ in 0..<25 { try round.run() }
            } catch {
                Issue.record("seed \(seed), \(kind.rawValue): \(error)\n\(round.editor.trace.joined(separator: " "))")
            }
        }
    }
}
