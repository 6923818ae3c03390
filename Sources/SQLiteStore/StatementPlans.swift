import RowMemory
import Schema
import SQLiteKit
import Storage

/// What a session has prepared for reading and writing: kept, since small requests and small saves
/// come one after the other.
///
/// Invariant: `hasFunctions` is true of the session's present connection alone.
final class StatementPlans {
    private var readers: [RowColumns.Key: RowReader] = [:]
    /// Whether windows of sorted rows are quicker without SQLite's limit, by the statement; see
    /// `run(_:_:into:skipping:)`.
    private var sortedWindows: [String: Bool] = [:]
    /// How rows are written in which some properties changed.
    private var updates: [UpdateKey: UpdatePlan] = [:]
    /// Whether the connection has the functions that translated requests call.
    private var hasFunctions = false

    private struct UpdateKey: Hashable {
        let entityIndex: Int
        let changed: PropertySet
    }

    private static let mostUpdates = 64, mostWindows = 256

    func reader(_ key: RowColumns.Key, make: () throws -> RowReader) rethrows -> RowReader {
        if let known = readers[key] { return known }
        let reader = try make()
        readers[key] = reader
        return reader
    }

    func update(_ entityIndex: Int, _ changed: PropertySet, make: () throws -> UpdatePlan) rethrows -> UpdatePlan {
        let key = UpdateKey(entityIndex: entityIndex, changed: changed)
        if let known = updates[key] { return known }
        let plan = try make()
        if updates.count == Self.mostUpdates { updates.removeAll() }
        updates[key] = plan
        return plan
    }

    func sortsWindow(of statement: String) -> Bool? { sortedWindows[statement] }

    func note(sortsWindow: Bool, of statement: String) {
        // A made-up statement each time must not fill the memory.
        if sortedWindows.count >= Self.mostWindows { sortedWindows.removeAll() }
        sortedWindows[statement] = sortsWindow
    }

    /// Gives the connection the functions that translated requests call, where it has them not yet.
    func provideFunctions(on connection: Connection) throws {
        guard !hasFunctions else { return }
        try SQLTranslation.registerFunctions(on: connection)
        hasFunctions = true
    }

    /// The session has another connection.
    func connectionWasReplaced() { hasFunctions = false }

    func removeReaders() { readers = [:] }
}
