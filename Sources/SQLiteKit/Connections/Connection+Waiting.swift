internal import CSQLite
import Foundation

/// Reports waiting for locks, and can end it.
final class WaitHandler {
    private let timeout: Double
    private let continues: (Double) -> Bool
    private var start = Date()

    init(timeout: Double, _ continues: @escaping (Double) -> Bool) {
        self.timeout = timeout
        self.continues = continues
    }

    /// - Parameter count: the number of previous attempts for this lock.
    func waits(_ count: Int32) -> Bool {
        if count == 0 { start = Date() }
        let waited = Date().timeIntervalSince(start)
        guard waited < timeout, continues(waited) else { return false }
        Thread.sleep(forTimeInterval: 0.02)
        return true
    }
}

extension Connection {
    /// Waits up to `timeout` seconds for locks of other connections. Before each new attempt,
    /// `goesOn` is called with the seconds waited, and can end the wait.
    package func setWaiting(timeout: Double, _ continues: @escaping (Double) -> Bool) {
        let handler = WaitHandler(timeout: timeout, continues)
        waiting = handler
        // Unretained: the connection retains it.
        sqlite3_busy_handler(
            handle,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<WaitHandler>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.waits(count) } ? 1 : 0
            }, Unmanaged.passUnretained(handler).toOpaque())
    }
}
