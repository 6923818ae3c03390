import FileSystem
import Foundation
import RowMemory
import Schema
import Storage

/// Converts large values to cells. Values that are too large for a row are written to files; the
/// files of a failed save are removed.
final class LargeValueWriter {
    private let files: ExternalValues
    /// The files of this save, so that a value that occurs twice, or a statement that runs twice,
    /// writes only one file.
    private var namesByValue: [ObjectIdentifier: (value: LargeValue, name: String)] = [:]

    init(_ files: ExternalValues) {
        self.files = files
    }

    /// Writes the files for a change set: before the transaction, so that other connections need
    /// not wait, and before any row refers to them.
    func writeFiles(for changes: ChangeSet) throws {
        for insertions in changes.insertions { try writeFiles(for: insertions.rows) { _, _ in true } }
        for updates in changes.updates {
            try writeFiles(for: updates.rows) { place, slot in
                place < updates.changed.count && updates.changed[place].contains(Int(slot.index))
            }
        }
    }

    private func writeFiles(for rows: RowBatch, including: (Int, RowSlot) -> Bool) throws {
        guard !rows.isEmpty else { return }
        let all = rows[0].layout.slots
        guard all.contains(where: { $0.kind == .large }) else { return }
        let slots = all.filter { $0.kind == .large }
        for place in 0..<rows.count {
            for slot in slots where including(place, slot) {
                if let value = rows[place].large(slot),
                    value.bytesAtHand.map({ $0.count > ExternalValues.largestInlineValue }) ?? true
                {
                    _ = try cell(for: value)
                }
            }
        }
    }

    func cell(for value: LargeValue) throws -> Data {
        if let written = namesByValue[ObjectIdentifier(value)] { return ExternalValues.cell(referringTo: written.name) }
        if let name = value.fileName {
            // A value that this store already has keeps its file.
            if ExternalValues.isName(name), try files.secure(name) { return ExternalValues.cell(referringTo: name) }
            do {
                return try newCell(for: value)
            } catch let error as StorageError where error.code == .notFound && ExternalValues.isName(name) {
                // The file was missing before and is still missing. Keep the reference.
                return ExternalValues.cell(referringTo: name)
            }
        }
        return try newCell(for: value)
    }

    private func newCell(for value: LargeValue) throws -> Data {
        guard try value.count > ExternalValues.largestInlineValue else { return Data([1]) + (try value.data()) }
        let name = try files.write(value)
        namesByValue[ObjectIdentifier(value)] = (value, name)
        return ExternalValues.cell(referringTo: name)
    }

    /// Call it after the commit: values that came from other sources are from now on read from the
    /// store's own files.
    func settle() {
        for (value, name) in namesByValue.values where value.bytesAtHand == nil {
            value.settle(in: files.source(named: name))
        }
    }

    func removeFiles() {
        for (_, name) in namesByValue.values { try? files.remove(name) }
        namesByValue = [:]
    }
}
