import RowMemory
import Schema
import SQLiteKit
import Storage

/// The cached plans of a session for reading and writing, because small requests and saves often
/// repeat.
///
/// Invariant: `hasFunctions` refers only to the session's current connection.
final class StatementPlans {
    private var readers: [RowColumns.Key: RowReader] = [:]
    /// Whether the first rows of a sorted result are found faster without SQLite's limit, by
    /// statement; see `run(_:_:into:skipping:)`.
    private var sortedWindows: [String: Bool] = [:]
    /// The plans for updating rows, by the changed properties.
    private var updates: [UpdateKey: UpdatePlan] = [:]
    /// Whether the functions that translated requests call are registered with the connection.
    private var hasFunctions = false

    /// What the store has of irregularities, as far as it was asked, in the state of
    /// `irregularitiesState`. Each costs one search, at most a pass over a table.
    private var irregularities: [Irregularity: Bool] = [:]
    private var irregularitiesState: Int64 = 0

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
        // The cache is limited, because statements may differ every time.
        if sortedWindows.count >= Self.mostWindows { sortedWindows.removeAll() }
        sortedWindows[statement] = sortsWindow
    }

    /// Registers the functions that translated requests call, unless they are registered already.
    func provideFunctions(on connection: Connection) throws {
        guard !hasFunctions else { return }
        try SQLTranslation.registerFunctions(on: connection)
        hasFunctions = true
    }

    /// Only other programs make cells irregular, so that the answers hold until one commits.
    func forgetIrregularities(ofOtherStatesThan connection: Connection) throws {
        let state = try connection.value("PRAGMA data_version")?.integer ?? 0
        if state != irregularitiesState { irregularities = [:] }
        irregularitiesState = state
    }

    func has(_ irregularity: Irregularity, on connection: Connection) throws -> Bool {
        if let known = irregularities[irregularity] { return known }
        try provideFunctions(on: connection)
        let search = irregularity.search
        let isFound = try connection.value(search.text, search.arguments) != nil
        irregularities[irregularity] = isFound
        return isFound
    }

    /// Call it after the session's connection was replaced.
    func connectionWasReplaced() {
        hasFunctions = false
        irregularities = [:]
    }

    func removeReaders() { readers = [:] }
}
