/// The treatment of work that a crashed editor autosaved and never saved, when the document is
/// opened.
public enum DocumentRecovery: Sendable, Hashable {
    /// Opening throws ``DocumentError`` with code `recoverable`.
    case refuse
    /// The document opens with the work as unsaved changes; `recovered` describes it.
    case keep
    /// The document opens in its last saved state. The work is set aside until the next save.
    case discard
}
