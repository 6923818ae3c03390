import Foundation
import RowMemory
import SQLiteKit
import Storage

/// External values that may be unreferenced after a save.
///
/// Undo can restore a value while the store is open, so the files are removed when it closes, if
/// they are still unreferenced. For a document's store the document removes them, because versions
/// may refer to them.
final class ReplacedFiles {
    private let layout: StoreLayout
    private let removesFiles: Bool
    /// The names of the files that this session's saves have replaced.
    private var names: Set<String> = []

    init(_ layout: StoreLayout, _ journal: WALPolicy) {
        self.layout = layout
        removesFiles = journal == .asFound
    }

    private func largeColumns(_ storage: EntityStorage) -> [String] {
        storage.properties.compactMap { property in
            if case .attribute(let column) = property, column.hasStoragePrefix { column.name } else { nil }
        }
    }

    func noteReplacedFiles(
        _ rows: RowBatch, _ places: [Int], _ plan: WritePlan, _ storage: EntityStorage, on connection: Connection
    ) throws {
        guard !plan.largeSlots.isEmpty, removesFiles else { return }
        let columns = zip(plan.columns, plan.writers).filter { $1.kind == .large }.map(\.0.name)
        try noteFiles(places.map { rows[$0].key }, columns, storage, on: connection)
    }

    func noteDeletedFiles(_ keysAndVersions: [Int64], _ storage: EntityStorage, on connection: Connection) throws {
        let columns = largeColumns(storage)
        guard !columns.isEmpty, removesFiles else { return }
        try noteFiles(
            stride(from: 0, to: keysAndVersions.count, by: 2).map { keysAndVersions[$0] }, columns, storage,
            on: connection)
    }

    private func noteFiles(
        _ keys: [Int64], _ columns: [String], _ storage: EntityStorage, on connection: Connection
    ) throws {
        for column in columns {
            let name = SQLName.quoted(column)
            let condition = SQLFragment.key("Z_PK", isIn: keys)
            let cells = try connection.rows(
                "SELECT \(name) FROM \(SQLName.quoted(storage.table)) WHERE length(\(name)) < 64 AND substr(\(name), 1, 1) = x'02' AND \(condition.text)",
                condition.arguments)
            for cell in cells {
                if let bytes = cell[0].blob, let name = ExternalValues.name(inCell: Data(bytes)) {
                    self.names.insert(name)
                }
            }
        }
    }

    /// The names of all external values that rows refer to.
    func externalValueNames(on connection: Connection) throws -> Set<String> {
        var names: Set<String> = []
        var seen: Set<String> = []
        for storage in layout.storedEntities {
            for column in largeColumns(storage) where seen.insert("\(storage.table).\(column)").inserted {
                let name = SQLName.quoted(column)
                let cells = try connection.rows(
                    "SELECT \(name) FROM \(SQLName.quoted(storage.table)) WHERE length(\(name)) < 64 AND substr(\(name), 1, 1) = x'02'"
                )
                for cell in cells {
                    if let bytes = cell[0].blob, let name = ExternalValues.name(inCell: Data(bytes)) {
                        names.insert(name)
                    }
                }
            }
        }
        return names
    }

    /// Removes the replaced files that are no longer referenced.
    func removeReplacedFiles(from files: ExternalValues, on connection: Connection) throws {
        guard !self.names.isEmpty else { return }
        let unused = self.names.subtracting(try externalValueNames(on: connection))
        if !unused.isEmpty, let needed = try files.neededElsewhere() {
            for name in unused.subtracting(needed) { try files.remove(name) }
        }
        self.names = []
    }
}
