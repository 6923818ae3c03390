import Foundation
import Synchronization

/// Logging of the SQL statements that stores execute, to find slow or wrong queries.
///
/// Enable it for a process by the environment variable `FOLIO_SQL_DEBUG` with a level from `1` to
/// `4`, which logs to standard error, or in code at any time:
/// ```swift
/// SQLDebug.handler = { logger.debug("\($0)") }
/// SQLDebug.level = .arguments
/// ```
/// Statements and rows contain the values of the user's objects: don't log them where others can
/// read them.
public enum SQLDebug {
    /// The level of detail. Each level includes those before it.
    public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// Nothing is logged.
        case off = 0
        /// Every statement with its duration and its number of rows.
        case statements
        /// Statements with their arguments inserted.
        case arguments
        /// The content of every row, too. Reads take a slower path for this.
        case rows
        /// SQLite's query plan of every statement.
        case plans

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// A statement that a store has executed.
    public struct Event: Sendable, Hashable, CustomStringConvertible {
        /// The name of the store's file.
        public let store: String
        /// The text of the statement, from ``Level/arguments`` on with its arguments inserted,
        /// except for arguments that are passed as rows of a table.
        public let statement: String
        /// The duration of the statement in seconds.
        public let seconds: Double
        /// The number of rows that the statement returned.
        public let rowCount: Int
        /// From ``Level/rows`` on, the rows as text, at most a thousand of a statement.
        public let rows: [[String]]
        /// From ``Level/plans`` on, the query plan: one line for each step, indented by depth.
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

        /// The event as lines of text; the first line contains the duration and the statement.
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

    /// The current level. A change takes effect with the next operation of a store.
    public static var level: Level {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// The function that receives the events. It is called on the thread that used the store, after
    /// the store's work is done, and must not use the store. The default one writes to standard
    /// error.
    public static var handler: @Sendable (Event) -> Void {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }
}
