import Foundation
import RowMemory
import Schema
import SQLiteKit
import Storage

extension StoreSession {
    /// Commits a change set, and the pieces that wait for it: all of it or nothing.
    /// - Parameters:
    ///   - commits: whether it is committed, or waits as a piece.
    ///   - beforeCommit: runs when all is written; what it throws undoes it.
    func apply(_ changes: ChangeSet, commits: Bool = true, beforeCommit: () throws -> Void = {}) throws -> SaveReceipt {
        try checkWritable()
        try checkPieces()
        let large = LargeValueWriter(files)
        var save = SaveInProgress(large: large, insertions: changes.insertions)
        do {
            try large.writeFiles(for: changes)
            derived.begin()
            let receipt = try limitingTriggers(changes.rowCount) {
                try writing(commits: commits, beforeCommit: beforeCommit) { try write(changes, &save) }
            }
            if commits {
                settle(large)
            } else {
                pieces?.large.append(large)
                pieces?.hasBegun = true
            }
            return receipt
        } catch is VersionMismatch {
            large.removeFiles()
            losePieces()
            // Looked up afterwards, all at once: a savepoint to come back to would copy every page
            // that a save touches.
            let found = try connection.transaction(.deferred) { try self.writer.conflicts(in: changes) }
            throw StorageError(.conflict, "Objects were changed in the store since they were read", conflicts: found)
        } catch {
            large.removeFiles()
            losePieces()
            throw error
        }
    }

    /// The order matters: what is deleted makes room for unique values of what is changed, and both
    /// for what is new.
    private func write(_ changes: ChangeSet, _ save: inout SaveInProgress) throws -> SaveReceipt {
        var receipt = try keys.assignKeys(to: changes.insertions, &save, on: connection)
        let history =
            changes.changesObjects ? try pieces?.history ?? historyWriter.begin(changes.origin, on: connection) : nil
        pieces?.history = history
        try history?.note(changes.deletions)
        try writer.delete(changes.deletions, &save)
        receipt.deletedMembers = try changes.memberDeletions.map { try writer.deleteMembers($0) }
        for updates in changes.updates { try writer.update(updates, &save) }
        for insertions in changes.insertions { try writer.insert(insertions, &save) }
        try history?.note(changes.insertions, keys: receipt.keys)
        try history?.note(changes.updates)
        try writer.write(changes.links, &save)
        try writer.write(changes.orders, &save)
        try writer.placeRest(&save)
        try write(metadata: changes.metadata)
        receipt.derived = try takeDerivedRows()
        return receipt
    }

    /// The rows, as they are now, of objects whose derived values changed in this transaction.
    private func takeDerivedRows() throws -> RowBatch {
        var batch = RowBatch()
        for (entityIndex, keys) in derived.takeKeys() {
            let rows = try rows(
                RowRequest(entityIndex: entityIndex, includesSubentities: false, selection: .keys(keys)))
            for index in 0..<rows.count { _ = batch.append(copyOf: rows[index]) }
        }
        return batch
    }

    /// Runs a transaction that writes rows of entities; before it commits, the side indexes learn
    /// of it.
    func writing<Result>(commits: Bool = true, beforeCommit: () throws -> Void = {}, _ body: () throws -> Result) throws
        -> Result
    {
        if indexing.isNeeded { try indexing.watchTouchedRows(on: connection) }
        let result = try connection.transactionPart(commits: commits) {
            try derived.completeTriggers(on: connection)
            let result = try body()
            if indexing.isNeeded { try indexing.updateSideIndexes(on: connection) }
            try beforeCommit()
            return result
        }
        if commits { derived.wasCommitted() }
        return result
    }

    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try checkWritable()
        let storage = try layout.storage(of: entityIndex)
        guard description.journal == .heldByDocument else {
            try checkPieces()
            do {
                let first = try limitingTriggers(1) {
                    try connection.transactionPart(commits: pieces == nil) {
                        try keys.reserveKeys(storage, count: count, on: connection)
                    }
                }
                pieces?.hasBegun = true
                return first
            } catch {
                // The transaction is undone, and with it what waited.
                losePieces()
                throw error
            }
        }
        // Every commit to a document's store counts as a save or an autosave.
        return try keys.holdKeys(storage, count: count, on: connection)
    }

    /// Runs `body`, which changes so many rows; triggers that take much longer than any of Core
    /// Data's are ended.
    private func limitingTriggers<Result>(_ rowCount: Int, _ body: () throws -> Result) throws -> Result {
        guard hasTriggers else { return try body() }
        return try connection.withDeadline(.seconds(3) + .milliseconds(rowCount), body)
    }

    func checkWritable() throws {
        if description.isReadOnly { throw StorageError(.readOnly, "The store is open for reading only") }
        if let refusal = writingRefusal { throw StorageError(.unsupported, refusal) }
    }

    // MARK: Metadata

    private func write(metadata changes: [String: MetadataValue?]) throws {
        guard !changes.isEmpty else { return }
        if let next = lastMetadata?.exchanging(changes), let plist = lastMetadata?.plist {
            // Where they are others than this session knows, nothing is written over.
            try next.plist.withUnsafeBytes { new in
                try plist.withUnsafeBytes { old in
                    try connection.withStatement("UPDATE Z_METADATA SET Z_PLIST = ?1 WHERE Z_PLIST = ?2") { statement in
                        try statement.bindBorrowed(blob: new, at: 1)
                        try statement.bindBorrowed(blob: old, at: 2)
                        try statement.run()
                    }
                }
            }
            if connection.changes > 0 {
                lastMetadata = next
                return
            }
        }
        let written = KnownMetadata(writing: try currentMetadata().applying(changes))
        try connection.run("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(written.plist)])
        lastMetadata = written
    }

    /// The metadata as they stand in the file; decoded only where they are others than this session
    /// knows.
    func currentMetadata() throws -> StoreMetadata {
        if let lastMetadata,
            try connection.value("SELECT Z_PLIST = ? FROM Z_METADATA", [.blob(lastMetadata.plist)])?.integer == 1
        {
            return lastMetadata.metadata
        }
        return try StoreMetadata.read(from: connection)
    }
}

extension ChangeSet {
    fileprivate var rowCount: Int {
        insertions.reduce(0) { $0 + $1.rows.count } + updates.reduce(0) { $0 + $1.rows.count } + deletions.count
            + links.count
    }
}
