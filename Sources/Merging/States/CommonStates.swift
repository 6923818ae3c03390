internal import DocumentFiles

/// The states that two documents both know.
struct CommonStates {
    /// A state, as each of the documents knows it.
    struct State {
        let ours: KnownState
        let theirs: KnownState
    }

    /// The states of one of the documents that no other such state comes from later: the bases of
    /// a merge, the newest of ours first. More than one where each of the documents was merged with
    /// the other.
    let newest: [State]
    /// States that neither of the documents has and that both were merged with, as far as none of
    /// `newest` comes from them, the oldest of ours first. Of the states that came in by the same
    /// two merges, this has one.
    let merged: [State]

    /// All states that both know, the newest of ours first.
    static func all(_ ours: [KnownState], _ theirs: [KnownState]) -> [State] {
        // A document may have a state of which it also has a note.
        func bySum(_ states: [KnownState]) -> [String: KnownState] {
            Dictionary(states.map { ($0.sum, $0) }, uniquingKeysWith: { !$0.isOwn && $1.isOwn ? $1 : $0 })
        }
        let others = bySum(theirs)
        return bySum(ours).values.sorted { $0.rank > $1.rank }.compactMap { mine in
            others[mine.sum].map { State(ours: mine, theirs: $0) }
        }
    }

    init(_ ours: [KnownState], _ theirs: [KnownState]) {
        let common = Self.all(ours, theirs)
        let sides = [FirstGenerations(ours), FirstGenerations(theirs)]
        func precedes(_ state: State, _ other: State) -> Bool {
            other.ours.sum != state.ours.sum
                && (sides[0].precedes(state.ours, other.ours) || sides[1].precedes(state.theirs, other.theirs))
        }
        let own = common.filter { $0.ours.isOwn || $0.theirs.isOwn }
        var newest = own.filter { state in !own.contains { precedes(state, $0) } }
        if newest.isEmpty { newest = Array(own.prefix(1)) }
        var merges: Set<[Int]> = []
        let merged = common.reversed().filter { state in
            !state.ours.isOwn && !state.theirs.isOwn && !newest.contains { precedes(state, $0) }
                && merges.insert([state.ours.firstGeneration, state.theirs.firstGeneration]).inserted
        }
        (self.newest, self.merged) = (newest, merged)
    }
}

/// Since which generation a document knows each of its states.
private struct FirstGenerations {
    private let generations: [String: Int]

    package init(_ states: [KnownState]) {
        generations = Dictionary(states.map { ($0.sum, $0.firstGeneration) }, uniquingKeysWith: min)
    }

    /// Whether a state is known to another one, which the document has.
    func precedes(_ state: KnownState, _ other: KnownState) -> Bool {
        if other.isCurrent { return true }
        guard let generation = other.generation, let first = generations[state.sum] else { return false }
        return first <= generation
    }
}
