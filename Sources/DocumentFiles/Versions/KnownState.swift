/// A state of a document that another document may know as well: one that it was in, or one that a
/// merge has brought in.
package struct KnownState: Sendable {
    /// The sum over the pages of the store, in hexadecimal.
    package var sum: String
    /// Greater for newer states.
    package var rank: Double
    /// By which the document can be read as it was in this state; nil for the current state, and
    /// for states that it knows only by a merge.
    package var generation: Int?
    /// Whether this is the document as it is.
    package var isCurrent = false
    /// Whether the document has this state, and not just a note of it.
    package var isOwn: Bool { isCurrent || generation != nil }
    /// The first generation of the document that knows the state.
    package var firstGeneration: Int
    /// Whether the document has come from this state, as far as it knows; false for one that was
    /// left when another program put an older state in place.
    package var isCertain = true
    /// How the keys of the document differ from those of the state.
    package var numbering = StateNumbering()
    /// Whether `numbering` is known; else it says nothing.
    package var hasKnownKeys = true

    package init(
        sum: String, rank: Double, generation: Int? = nil, isCurrent: Bool = false, firstGeneration: Int,
        numbering: StateNumbering = StateNumbering(), hasKnownKeys: Bool = true
    ) {
        self.sum = sum
        self.rank = rank
        self.generation = generation
        self.isCurrent = isCurrent
        self.firstGeneration = firstGeneration
        self.numbering = numbering
        self.hasKnownKeys = hasKnownKeys
    }
}

extension [KnownState] {
    /// The states that a version of the document knows, with that version as the current state.
    package func known(to generation: Int) -> [KnownState] {
        compactMap { state in
            guard state.firstGeneration <= generation else { return nil }
            var state = state
            state.isCurrent =
                state.generation == generation || state.isCurrent && state.firstGeneration == generation
            return state
        }
    }
}
