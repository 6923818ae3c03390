/// A state of a document that can be opened.
package enum DocumentState: Sendable, Hashable {
    /// The newest committed state, including autosaved work.
    case newest
    /// The last saved state.
    case saved
    /// The state with autosaved work that was not saved.
    case autosaved
    /// The state after this number of saves.
    case version(Int)
    /// The state after this number of saves, also one that an archive keeps for merges alone.
    case base(Int)
}
