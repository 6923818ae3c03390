/// The way of reading a database that must not be modified.
package enum Reading: Sendable, Hashable {
    /// With SQLite's own locks, and with the WAL if there is one: writers are detected and waited
    /// for.
    case locked
    /// Only the main file, without locks. No other connection has it open for writing; if one opens
    /// it later, `checkUnchanged` detects that.
    case immutable
}
