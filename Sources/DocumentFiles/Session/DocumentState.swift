/// Which state of a document is meant.
package enum DocumentState: Sendable, Hashable {
    /// The newest that is committed, autosaved work included.
    case newest
    /// As it was last saved.
    case saved
    /// With the work that was autosaved and not saved.
    case autosaved
    /// Right after so many saves.
    case version(Int)
}
