internal import DocumentFiles

/// The states that two documents both know, as far as one of the two has them.
struct CommonStates {
    /// A state, as each of the documents knows it.
    struct State {
        let ours: KnownState
        let theirs: KnownState
    }

    /// The states that no other common state comes from later: the bases of a merge, the newest of
    /// ours first. More than one where each of the documents was merged with the other.
    let newest: [State]

    init(_ ours: [KnownState], _ theirs: [KnownState]) {
        let others = Dictionary(grouping: theirs, by: \.sum)
        var seen: Set<String> = []
        let common = ours.sorted { $0.rank > $1.rank }.compactMap { mine -> State? in
            guard let found = others[mine.sum]?.max(by: { !$0.isOwn && $1.isOwn }), mine.isOwn || found.isOwn,
                seen.insert(mine.sum).inserted
            else { return nil }
            return State(ours: mine, theirs: found)
        }
        let sides = [FirstGenerations(ours), FirstGenerations(theirs)]
        let newest = common.filter { state in
            !common.contains { other in
                other.ours.sum != state.ours.sum
                    && (sides[0].precedes(state.ours, other.ours) || sides[1].precedes(state.theirs, other.theirs))
            }
        }
        self.newest = newest.isEmpty ? Array(common.prefix(1)) : newest
    }
}

/// Since which generation a document knows each of its states.
private struct FirstGenerations {
    private let generations: [String: Int]

    init(_ states: [KnownState]) {
        generations = Dictionary(states.map { ($0.sum, $0.firstGeneration) }, uniquingKeysWith: min)
    }

    /// Whether a state is known to another one, which the document has.
    func precedes(_ state: KnownState, _ other: KnownState) -> Bool {
        if other.isCurrent { return true }
        guard let generation = other.generation, let first = generations[state.sum] else { return false }
        return first <= generation
    }
}
