import Foundation
import Synchronization

/// What is told of the SQL that stores run, for the eyes of whoever looks for what is slow or
/// wrong.
///
/// Switched on for a whole process by the environment (`FOLIO_SQL_DEBUG=1` to `4`, lines go to
/// standard error) or here, at any time:
/// ```swift
/// SQLDebug.handler = { logger.debug("\($0)") }
/// SQLDebug.level = .arguments
/// ```
/// Values in statements and rows are the user's own: don't log them where others read.
public enum SQLDebug {
    /// How much is told; each level tells what those before it do.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        case off = 0
        /// Every statement with the time that it took and the number of its rows.
        case statements
        /// Statements with their arguments in place.
        case arguments
        /// The content of every row too. Reading takes a slower way for it.
        case rows
        /// How SQLite runs each statement, in which order of tables and by which indexes.
        case plans

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// One statement that a store has run.
    public struct Event: Sendable, Hashable, CustomStringConvertible {
        /// The file name of the store.
        public let store: String
        /// From ``Level/arguments`` on with its arguments in place, but for those that come as rows
        /// of a table.
        public let statement: String
        public let seconds: Double
        public let rowCount: Int
        /// At ``Level/rows`` and above: each row as text. At most a thousand of a statement.
        public let rows: [[String]]
        /// At ``Level/plans``: one line for each step, indented by depth.
        public let plan: [String]

        package init(
            store: String, statement: String, seconds: Double, rowCount: Int, rows: [[String]] = [], plan: [String] = []
        ) {
            self.store = store
            self.statement = statement
            self.seconds = seconds
            self.rowCount = rowCount
            self.rows = rows
            self.plan = plan
        }

        /// Some lines, the first of which has the time and the statement.
        public var description: String {
            let time = String(format: "%.3f ms", seconds * 1000)
            var lines = ["sql \(store): \(statement)", "  \(time), \(rowCount) row\(rowCount == 1 ? "" : "s")"]
            lines += rows.map { "  row: " + $0.joined(separator: " | ") }
            lines += plan.map { "  plan: " + $0 }
            return lines.joined(separator: "\n")
        }
    }

    private struct State {
        var level: Level
        var handler: @Sendable (Event) -> Void
    }

    private static let state = Mutex(
        State(
            level: getenv("FOLIO_SQL_DEBUG").flatMap { Int(String(cString: $0)) }.map {
                Level(rawValue: min(max($0, 0), Level.plans.rawValue)) ?? .off
            } ?? .off,
            handler: { FileHandle.standardError.write(Data("\($0)\n".utf8)) }))

    /// How much is told, from the next use of a store on.
    public static var level: Level {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// Told of each statement when the store's work is done, on the thread that did it; it must not
    /// use the store. At first it writes to standard error.
    public static var handler: @Sendable (Event) -> Void {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }
}
