import Foundation
import RowMemory
import Schema
import SQLiteKit
import Storage

extension StoreSession {
    /// Commits a change set, together with uncommitted earlier ones, or changes nothing.
    /// - Parameters:
    ///   - commits: whether to commit; otherwise the change set remains uncommitted.
    ///   - beforeCommit: called when everything is written; an error rolls back.
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
            // The conflicts are looked up after the rollback, all at once. A savepoint would copy
            // every page that a save changes.
            let found = try connection.transaction(.deferred) { try self.writer.conflicts(in: changes) }
            throw StorageError(.conflict, "Objects were changed in the store since they were read", conflicts: found)
        } catch {
            large.removeFiles()
            losePieces()
            throw error
        }
    }

    /// The order matters: deletions free unique values for updates, and both free them for
    /// insertions.
    private func write(_ changes: ChangeSet, _ save: inout SaveInProgress) throws -> SaveReceipt {
        try changes.checkParts(of: layout, rowLayouts)
        try keys.noteRetired(on: connection)
        var receipt = try keys.assignKeys(to: changes.insertions, &save, on: connection)
        let history =
            changes.changesObjects ? try pieces?.history ?? historyWriter.begin(changes.origin, on: connection) : nil
        pieces?.history = history
        try history?.note(changes.deletions)
        try writer.delete(changes.deletions, &save)
        receipt.deletedMembers = try changes.memberDeletions.map { try writer.deleteMembers($0) }
        try writer.update(changes.updates, &save)
        for insertions in changes.insertions {
            try writer.insert(insertions, keepsVersions: changes.keepsVersions, &save)
        }
        try history?.note(changes.insertions, keys: receipt.keys)
        try history?.note(changes.updates)
        try writer.write(changes.links, &save)
        try writer.write(changes.orders, &save)
        try writer.placeRest(&save)
        try write(metadata: changes.metadata)
        receipt.derived = try takeDerivedRows()
        return receipt
    }

    /// The current rows of the objects whose derived values changed in this transaction.
    private func takeDerivedRows() throws -> RowBatch {
        var batch = RowBatch()
        for (entityIndex, keys) in derived.takeKeys() {
            let rows = try rows(
                RowRequest(entityIndex: entityIndex, includesSubentities: false, selection: .keys(keys)))
            for index in 0..<rows.count { _ = batch.append(copyOf: rows[index]) }
        }
        return batch
    }

    /// Runs a transaction that writes entities' rows. The side indexes are updated before the
    /// commit.
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
                // The transaction was rolled back, and the uncommitted changes with it.
                losePieces()
                throw error
            }
        }
        // Every commit to a document's store counts as a save or an autosave.
        return try keys.holdKeys(storage, count: count, on: connection)
    }

    /// Gives no key up to `greatest` to a new object.
    func retireKeys(entityIndex: Int, upTo greatest: Int64) throws {
        let storage = try layout.storage(of: entityIndex)
        let used = try keys.greatestKey(storage, on: connection)
        guard greatest > used, let count = Int(exactly: greatest - used) else { return }
        _ = try reserveKeys(entityIndex: entityIndex, count: count)
        if description.journal == .heldByDocument { keys.retire(storage, upTo: greatest) }
    }

    /// Runs `body`, which changes this number of rows. Triggers that take far longer than Core
    /// Data's are interrupted.
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
            // If the file has other metadata than this session knows, do not overwrite them.
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

    /// The current metadata of the file. They are decoded only if they differ from the metadata
    /// that this session knows.
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
