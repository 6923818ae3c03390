import FileSystem
import SQLiteKit
import Storage

extension StoreSession {
    /// Notes statements as ``SQLDebug`` wants it now.
    func followDebugLevel() {
        let level = SQLDebug.level
        guard level != .off else { return connection.trace(nil) }
        connection.trace(
            TraceOptions(expandsArguments: level >= .arguments, keepsRows: level >= .rows, explains: level >= .plans))
    }

    /// Tells what was run.
    func tellDebugEvents() {
        let statements = connection.takeTrace()
        guard !statements.isEmpty else { return }
        let handler = SQLDebug.handler, store = FilePath.name(path)
        for statement in statements {
            handler(
                SQLDebug.Event(
                    store: store, statement: statement.sql, seconds: statement.seconds, rowCount: statement.rowCount,
                    rows: statement.rows, plan: statement.plan))
        }
    }
}
