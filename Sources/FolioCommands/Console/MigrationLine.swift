import Folio
import Foundation
import Synchronization

/// A progress line on the terminal for migrations, reported from any thread.
final class MigrationLine: Sendable {
    private struct Content: Sendable {
        var stages: [Int: MigrationProgress.State] = [:]
        var done = 0
        var next: UInt64 = 0
        var isShown = false
    }

    private let isEnabled: Bool
    private let count: Int
    private let start = DispatchTime.now().uptimeNanoseconds
    private let content = Mutex(Content())
    private static let pause: UInt64 = 100_000_000

    /// - Parameter count: The number of documents to migrate.
    init(_ console: Console, count: Int) {
        isEnabled = console.showsProgress
        self.count = count
    }

    func show(_ state: MigrationProgress.State, of document: Int) {
        change { $0.stages[document] = state }
    }

    func finish(_ document: Int) {
        change { content in
            content.stages[document] = nil
            content.done += 1
        }
    }

    private func change(_ body: (inout Content) -> Void) {
        guard isEnabled else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        content.withLock { content in
            body(&content)
            // The stages of a single document may be long, so the start of each is shown.
            guard count == 1 || now > content.next else { return }
            content.next = now + Self.pause
            content.isShown = true
            let part =
                (Double(content.done) + content.stages.values.reduce(0) { $0 + $1.fractionCompleted }) / Double(count)
            var line = "\(Int(part * 100)) %"
            if part > 0.01 { line += ", \(Int((Double(now - start) / 1e9 * (1 - part) / part).rounded(.up))) s left" }
            if count > 1 { line += ", \(content.done) of \(count) documents" }
            if let stage = content.stages.values.first?.stage { line += ": \(Printable.line(stage))" }
            Self.write(line)
        }
    }

    /// Removes the line.
    func end() {
        content.withLock { content in
            if content.isShown { Self.write("") }
            content.isShown = false
        }
    }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(("\r\u{1B}[K" + text).utf8)) }
}
