import Foundation
import Query
import RowMemory
import Schema
import Storage

/// An open store: its table, its metadata and its file. Used under the lock of its
/// ``AtomicPersistentStore``.
///
/// Invariants:
/// 1. The table has the content of the file, or the result of the last `apply`; reserved primary
///    keys are known only here.
/// 2. An operation that throws leaves the table unchanged.
final class AtomicSession {
    let description: PersistentStoreDescription
    let table: RowTable
    private(set) var metadata: StoreMetadata
    let format: StoreFormat?
    private(set) var file: StoreFile?
    /// Whether changes are currently not written to the file.
    var isWritingPutOff = false
    /// The model in the encoding of a binary store.
    private let modelBytes: Data
    /// The names of what is in the file and not in the model, where versions are ignored.
    private let unknown: Set<String>

    init(
        description: PersistentStoreDescription, table: RowTable, metadata: StoreMetadata, format: StoreFormat?,
        file: StoreFile?, modelBytes: Data = Data(), unknown: Set<String> = []
    ) {
        self.unknown = unknown
        self.description = description
        self.table = table
        self.metadata = metadata
        self.format = format
        self.file = file
        self.modelBytes = modelBytes
    }

    /// Commits a change set, or changes nothing.
    /// - Parameter beforeCommit: called before the file is written; an error undoes the change set.
    func apply(_ changes: ChangeSet, beforeCommit: () throws -> Void = {}) throws -> SaveReceipt {
        try checkWritable()
        let newMetadata = try metadata.applying(changes.metadata)
        let (oldMetadata, oldNumbers) = (metadata, table.numbers)
        var newNumbers = oldNumbers
        let staging = try ChangeStaging(changes, on: table, numbers: &newNumbers)
        var inverses = [table.exchange(staging.change)]
        table.numbers = newNumbers
        metadata = newMetadata
        var receipt = staging.receipt
        do {
            if !table.shape.derivations.isEmpty, let inverse = inverses.first {
                let derived = try DerivedValues(table, isCopy: changes.keepsVersions).update(
                    after: staging.change, inverse)
                inverses += derived.inverses
                receipt.derived = derived.rows
            }
            try beforeCommit()
            if !changes.isEmpty { try write() }
        } catch {
            for inverse in inverses.reversed() { _ = table.exchange(inverse) }
            table.numbers = oldNumbers
            metadata = oldMetadata
            throw error
        }
        table.tidy()
        return receipt
    }

    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try checkWritable()
        try table.shape.checkStored(entityIndex)
        return try table.numbers.take(count, root: table.shape.root(of: entityIndex), entityIndex: entityIndex)
    }

    /// Writes the whole file.
    func write() throws {
        guard let format, !isWritingPutOff else { return }
        guard unknown.isEmpty else {
            let names = unknown.sorted().prefix(10).joined(separator: ", ")
            throw StorageError(
                .incompatibleModel,
                "The store has \(names)\(unknown.count > 10 ? " and \(unknown.count - 10) more" : ""), which the model does not know and a save would drop: open it with the version that it was written with, or migrate it"
            )
        }
        switch format {
        case .binary: try file?.replace(with: try BinaryStoreWriter(table, metadata, model: modelBytes).pieces())
        case .xml:
            var writer = XMLStoreWriter(table, metadata)
            try file?.replace { append in try writer.write(append) }
        case .custom(let store, _): try store.save(try CustomContent(table.shape).content(of: table, metadata))
        }
    }

    func close() throws {
        if case .custom(let store, _)? = format { try store.close() }
    }

    private func checkWritable() throws {
        if description.isReadOnly { throw StorageError(.readOnly, "The store is open for reading only") }
    }

    /// Converts an error of a lower layer into the error for the caller.
    func error(_ error: any Error) -> any Error {
        if error is QueryError { return error }
        return StorageError(below: error, path: file?.path ?? description.url.path)
    }
}
