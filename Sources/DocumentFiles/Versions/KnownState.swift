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
    /// How the keys of the document differ from those of the state.
    package var numbering = StateNumbering()
}
