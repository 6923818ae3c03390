/// What becomes of work that an editor autosaved and never saved because it crashed.
public enum DocumentRecovery: Sendable, Hashable {
    /// Opening fails with `DocumentError.recoverable`.
    case refuse
    /// The work is there, and `recovered` says so.
    case keep
    /// The document opens as it was last saved; the work is set aside until the next save.
    case discard
}
