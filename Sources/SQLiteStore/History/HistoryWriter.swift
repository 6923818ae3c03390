import SQLiteKit
import Storage

/// Begins transactions of the history, and knows its tables.
final class HistoryWriter {
    private let layout: StoreLayout
    private let tracksHistory: Bool
    /// Once they were looked for and found.
    private var known: HistoryTables?
    /// They were looked for and are not there.
    private var hasNone = false

    init(_ layout: StoreLayout, tracksHistory: Bool) {
        self.layout = layout
        self.tracksHistory = tracksHistory
    }

    /// The history's tables. Where the store keeps none they are made if its description asks for
    /// it; a store that has them goes on whatever it says, since others rely on it.
    func tables(creating: Bool, on connection: Connection) throws -> HistoryTables? {
        if let known { return known }
        known = try HistoryTables.find(in: connection)
        if let known { return known }
        // Not noted yet: the transaction that makes them may still fail.
        return creating && tracksHistory ? try HistoryTables.create(in: connection, layout.model) : nil
    }

    /// Begins a transaction of the history; nil where the store keeps none.
    func begin(_ origin: ChangeOrigin, on connection: Connection) throws -> HistoryRecorder? {
        if known == nil, hasNone, !tracksHistory { return nil }
        guard let tables = try tables(creating: true, on: connection) else {
            hasNone = true
            return nil
        }
        return try HistoryRecorder(connection, layout, tables, origin)
    }
}
