import CoreData
import Synchronization

/// What the programs print, in place of the standard output.
enum Output {
    private static let lines = Mutex<[String]>([])

    static func write(_ line: String) { lines.withLock { $0.append(line) } }

    /// The lines that `body` prints. One program runs at a time.
    static func of(_ body: () throws -> Void) rethrows -> [String] {
        lines.withLock { $0 = [] }
        try body()
        return lines.withLock { $0 }
    }

    static func of(_ body: () async throws -> Void) async rethrows -> [String] {
        lines.withLock { $0 = [] }
        try await body()
        return lines.withLock { $0 }
    }
}

/// Stands for the standard library's in this module.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    Output.write(items.map { "\($0)" }.joined(separator: separator))
}
