import Foundation
import Synchronization

/// A progress line on the terminal for work that is counted in bytes and reported from any thread.
final class ByteProgress: Sendable {
    private struct Line: Sendable {
        var next: UInt64
        var isShown = false
    }

    private let isEnabled: Bool
    private let start = DispatchTime.now().uptimeNanoseconds
    private let line: Mutex<Line>
    private static let patience: UInt64 = 1_000_000_000
    private static let pause: UInt64 = 200_000_000

    init(_ console: Console) {
        isEnabled = console.showsProgress
        line = Mutex(Line(next: start + Self.patience))
    }

    func show(_ done: Int64, of total: Int64) {
        guard isEnabled, total > 0 else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        line.withLock { line in
            guard now > line.next else { return }
            line.next = now + Self.pause
            line.isShown = true
            let seconds = Double(now - start) / 1e9
            let rest = done > 0 ? Int((seconds * Double(total - done) / Double(done)).rounded(.up)) : 0
            Self.write("\(done >> 20) of \(total >> 20) MiB, \(min(100, done * 100 / total)) %, \(rest) s left")
        }
    }

    /// Removes the line.
    func finish() {
        line.withLock { line in
            if line.isShown { Self.write("") }
            line.isShown = false
        }
    }

    deinit { finish() }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(("\r\u{1B}[K" + text).utf8)) }
}
