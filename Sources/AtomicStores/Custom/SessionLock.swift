import Foundation

/// The session of an open store, for one thread at a time.
///
/// The thread that has it may take it again: a store of an application's own may read objects while
/// it is asked or saves.
// Sendable because the session is only reached under `lock`.
final class SessionLock<Session: AnyObject>: @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var session: Session?

    init(_ session: sending Session) { self.session = session }

    /// Calls `body` with the session; nil after ``end(_:)``.
    func withLock<Result>(_ body: (Session?) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(session)
    }

    /// Ends the session once `body` has closed it.
    func end(_ body: (Session?) throws -> Void) rethrows {
        lock.lock()
        defer { lock.unlock() }
        try body(session)
        session = nil
    }
}
