import SQLiteKit
import Storage

/// Begins history transactions, and caches the history tables.
final class HistoryWriter {
    private let layout: StoreLayout
    private let tracksHistory: Bool
    /// The history tables, once found.
    private var known: HistoryTables?
    /// Whether a lookup found no history tables.
    private var hasNone = false

    init(_ layout: StoreLayout, tracksHistory: Bool) {
        self.layout = layout
        self.tracksHistory = tracksHistory
    }

    /// The history tables. If the store has none, they are created if its description asks for
    /// history. A store that has them keeps recording regardless of its description, because other
    /// programs rely on it.
    func tables(creating: Bool, on connection: Connection) throws -> HistoryTables? {
        if let known { return known }
        known = try HistoryTables.find(in: connection)
        if let known { return known }
        // Do not cache the tables yet: the transaction that creates them may still fail.
        return creating && tracksHistory ? try HistoryTables.create(in: connection, layout.model) : nil
    }

    /// Begins a history transaction; returns nil if the store keeps no history.
    func begin(_ origin: ChangeOrigin, on connection: Connection) throws -> HistoryRecorder? {
        if known == nil, hasNone, !tracksHistory { return nil }
        guard let tables = try tables(creating: true, on: connection) else {
            hasNone = true
            return nil
        }
        return try HistoryRecorder(connection, layout, tables, origin)
    }
}
