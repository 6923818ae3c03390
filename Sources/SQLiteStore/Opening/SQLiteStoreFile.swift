import FileSystem
package import Foundation
import SQLiteKit
import Storage

/// The file of a store, used without opening the store: to read what it contains, and to change it
/// as a whole while no connection has it open.
///
///     let info = try SQLiteStoreFile(url).modelInfo()
///     try SQLiteStoreFile(copy).setUUID(UUID().uuidString)
package struct SQLiteStoreFile: Sendable, Hashable {
    package let path: String
    /// How long a change waits for other connections, in milliseconds.
    private static let patience = 1_000

    package init(_ path: String) { self.path = path }
    package init(_ url: URL) { path = url.path }

    /// Throws if there is no file, or only a folder.
    func checkKind() throws {
        guard let status = try Disk.status(of: path) else { throw StorageError(.notFound, "There is no store") }
        try Self.checkKind(status)
    }

    static func checkKind(_ status: FileStatus) throws {
        // SQLite follows a symbolic link itself, and rejects a target that is not a regular file.
        if status.kind == .directory { throw StorageError(.notAStore, "This is a folder, not a store") }
    }

    // MARK: Reading

    /// What a sound SQLite database is that is no store, for people; nil for a store, even a
    /// damaged one, and for what can't be read. Reads the schema.
    package func foreignDatabase() -> String? {
        let catalog = try? Connection.reading(path) { try StoreCatalog.schema(from: $0) }
        return catalog.flatMap(\.foreignDatabase)
    }

    /// The store's metadata and model information. Nothing is written.
    /// - Parameter ignoresWAL: Whether only the main file is read.
    /// - Throws: `StorageError`, as opening the store.
    package func modelInfo(ignoresWAL: Bool = false) throws -> StoredModelInfo {
        do {
            try checkKind()
            return try Connection.reading(path, ignoresWAL: ignoresWAL) { connection in
                try StoredModelInfo.read(from: connection, StoreCatalog.read(from: connection))
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// The number of objects of each entity in the store's tables, subentities not included. No
    /// model is needed, and nothing is written.
    /// - Returns: The counts by the names of the entities of the store's model, including abstract
    ///   ones.
    /// - Throws: `StorageError`, as opening the store.
    package func objectCounts() throws -> [String: Int] {
        do {
            try checkKind()
            return try Connection.reading(path) { connection in
                let catalog = try StoreCatalog.read(from: connection)
                let known = try StoredModelInfo.read(from: connection, catalog).versionHashes
                // `Z_PRIMARYKEY` also has rows for the history, which are not entities of the
                // model.
                let entities = catalog.entities.filter { known.isEmpty || known[$0.name] != nil }
                var counts = Dictionary(entities.map { ($0.name, 0) }) { first, _ in first }
                let names = Dictionary(entities.map { ($0.number, $0.name) }) { first, _ in first }
                for root in entities where root.parent == 0 {
                    let table = "Z" + root.name.uppercased()
                    guard catalog.table(table) != nil else { continue }
                    for row in try connection.rows(
                        "SELECT Z_ENT, count(*) FROM \(SQLName.quoted(table)) WHERE Z_PK > 0 GROUP BY Z_ENT")
                    {
                        if let number = row[0].integer, let name = names[number] {
                            counts[name] = Int(row[1].integer ?? 0)
                        }
                    }
                }
                return counts
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    // MARK: Changes

    /// Changes the identity. Durable on return.
    package func setUUID(_ uuid: String) throws {
        try changing { try $0.run("UPDATE Z_METADATA SET Z_UUID = ?", [.text(uuid.uppercased())]) }
    }

    /// Removes the persistent history, and leaves none of its text in the file.
    ///
    /// Rewrites the whole file if there is a history.
    package func removeHistory() throws {
        try changing { connection in
            let catalog = try StoreCatalog.read(from: connection)
            let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].filter { catalog.table($0) != nil }
            guard !tables.isEmpty else { return }
            try connection.transaction(.immediate) {
                for table in tables { try connection.run("DELETE FROM \(SQLName.quoted(table))") }
            }
            connection.clearCache()
            try connection.execute("VACUUM")
        }
    }

    /// Rewrites the file without free pages.
    ///
    /// - Throws: `StorageError` with code `busy` if a connection has it open.
    package func vacuum() throws { try changing { try $0.execute("VACUUM") } }

    private func changing(_ body: (Connection) throws -> Void) throws {
        do {
            let connection = try Connection(path, OpenOptions(.readWrite, defense: .foreign))
            try body(connection)
            try emptyWAL(of: connection)
            try connection.close()
            try Disk.synchronizeFile(path)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Checkpoints the WAL, or rolls back the journal.
    /// - Throws: `StorageError.busy` if a connection has it open and prevents the checkpoint.
    package func checkpointWAL() throws {
        do {
            var options = OpenOptions(.readWrite, defense: .foreign)
            options.busyTimeout = Self.patience
            let connection = try Connection(path, options)
            // The first read rolls back an interrupted transaction.
            _ = try connection.value("SELECT count(*) FROM sqlite_schema")
            try emptyWAL(of: connection)
            try connection.close()
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Checkpoints explicitly, because a failing checkpoint on close is not reported.
    private func emptyWAL(of connection: Connection) throws {
        guard try connection.journalMode() == .wal else { return }
        guard try connection.checkpoint(.truncate).isComplete else {
            throw StorageError(.busy, "The journal can't be brought into the store", path: connection.path)
        }
    }

    /// Removes the store with its WAL, its journal and its external values.
    /// - Throws: `StorageError`: `busy` if the store is open elsewhere, `notFound`, `notAStore` for
    ///   another kind of database, which is kept.
    package func destroy() throws {
        do {
            try withSoleAccess {
                for suffix in ["", "-journal", "-wal", "-shm"] { _ = try Disk.removeFileIfPresent(path + suffix) }
                try ExternalValues.removeFiles(ofStoreAt: path)
            }
            try Disk.synchronizeDirectory(FilePath.parent(path))
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Runs `body` while no other connection has the store, and its main file is complete.
    private func withSoleAccess(_ body: () throws -> Void) throws {
        try checkKind()
        var options = OpenOptions(.readWrite, defense: .foreign)
        options.busyTimeout = Self.patience
        let connection = try Connection(path, options)
        _ = try StoreCatalog.read(from: connection)
        do {
            // WAL mode can be left only if there are no other connections.
            try connection.setJournalMode(.delete)
            try connection.execute("BEGIN EXCLUSIVE")
        } catch let error as SQLiteError where error.isOfLocks {
            throw StorageError(
                .busy, "The store is in use: it can't be removed or replaced", path: path, underlying: error)
        }
        try body()
        try connection.close()
    }

    /// Replaces the store, or creates it, with a copy of another store, including its identity. The
    /// old or the new store is there, complete, at every moment.
    /// - Throws: `StorageError`, as ``destroy()``.
    package func replace(by source: SQLiteStoreFile) throws {
        let copy = FilePath.join(FilePath.parent(path), ".\(FilePath.name(path)).\(UUID().uuidString)")
        let values = ExternalValues.folder(beside: path), copiedValues = copy + ".values"
        do {
            try source.checkKind()
            do {
                try Connection.reading(source.path) { connection in
                    _ = try StoreCatalog.read(from: connection)
                    try connection.copyDatabase(to: copy)
                }
                let originals = ExternalValues.folder(beside: source.path)
                if try Disk.exists(originals) {
                    try Disk.copyTree(originals, to: copiedValues)
                    try Disk.synchronizeTree(copiedValues)
                }
                if try Disk.exists(path) {
                    try withSoleAccess { try takePlace(copy, copiedValues, values) }
                } else {
                    if try Disk.exists(copiedValues) { _ = try Self.place(copiedValues, at: values) }
                    try Disk.renameWithoutReplacing(copy, to: path)
                }
            } catch {
                _ = try? Disk.removeFileIfPresent(copy)
                if (try? Disk.exists(copiedValues)) == true { try? Disk.removeTree(copiedValues) }
                throw error
            }
            try Disk.synchronizeDirectory(FilePath.parent(path))
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Moves the files of a support folder to those of another one, whose names are unique, and
    /// removes it.
    /// - Returns: The paths of the files.
    private static func place(_ copied: String, at values: String) throws -> Set<String> {
        var placed: Set<String> = []
        for folder in try Disk.list(copied) where folder.kind == .directory {
            let from = FilePath.join(copied, folder.name), to = FilePath.join(values, folder.name)
            try Disk.makeDirectories(to, isDurable: true)
            for file in try Disk.list(from) where file.kind == .file {
                let target = FilePath.join(to, file.name)
                placed.insert(target)
                if try !Disk.exists(target) {
                    try Disk.renameWithoutReplacing(FilePath.join(from, file.name), to: target)
                }
            }
            try Disk.synchronizeDirectory(to)
        }
        try Disk.removeTree(copied)
        return placed
    }

    /// Puts a copy in the place of the store. Its values come first and those of the old store go
    /// last, unless another store of the same stem refers to them.
    private func takePlace(_ copy: String, _ copiedValues: String, _ values: String) throws {
        let kept = try Disk.exists(copiedValues) ? Self.place(copiedValues, at: values) : []
        try Disk.rename(copy, to: path)
        try Disk.synchronizeDirectory(FilePath.parent(path))
        // What stays is used by nobody, and a failure is none of the replacement.
        guard try Disk.exists(values), let others = try? ExternalValues.namesOfOthers(sharing: path) else { return }
        guard !kept.isEmpty || !others.isEmpty else { return (try? Disk.removeTree(values)) ?? () }
        for folder in try Disk.list(values) where folder.kind == .directory {
            let path = FilePath.join(values, folder.name)
            for file in try Disk.list(path)
            where !kept.contains(FilePath.join(path, file.name)) && !others.contains(file.name) {
                try? Disk.removeFile(FilePath.join(path, file.name))
            }
        }
    }
}
