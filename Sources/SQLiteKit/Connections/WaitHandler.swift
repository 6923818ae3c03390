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
