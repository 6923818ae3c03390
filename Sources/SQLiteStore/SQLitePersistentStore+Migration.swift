import Foundation
import FileSystem
import ModelFiles
import Schema
package import SQLiteKit
package import Storage

extension SQLitePersistentStore {
    /// Migrates a store, which no other code of this process has open, to another version of its
    /// model. It is changed in place, in one transaction.
    ///
    /// Any error, including `progress.cancel()`, leaves the store unchanged. A store that already
    /// has the new version is not touched. Time: as few passes over the rows as the changes need,
    /// none for added or renamed columns. Memory does not depend on the number of rows.
    /// - Parameters:
    ///   - plans: The plans to run in order, all in one transaction. A plan whose destination is
    ///     the store's current version is skipped.
    ///   - archive: The archive that contains the store, if it is not a separate file. The changes
    ///     are written to a WAL at the path that the file would have.
    ///   - checksRules: Whether objects that break what the last version demands, and the first did
    ///     not, are refused. False if handlers still change them.
    ///   - metadata: Further metadata to store in the same transaction.
    /// - Throws: `StorageError`: `incompatibleModel` if the store has neither version;
    ///   `invalidObjects` if objects break a rule that is new; `constraint` if they violate a new
    ///   uniqueness constraint; `unmigratable`, `unsupported`,
    ///   `cancelled`, and file system errors.
    @discardableResult
    package static func migrate(
        _ description: PersistentStoreDescription, _ plans: [MigrationPlan], in archive: ArchivedDatabase? = nil,
        files: ExternalValues? = nil, checksRules: Bool = true,
        metadata: [String: MetadataValue?] = [:], progress: MigrationProgress? = nil
    ) throws -> MigrationReport {
        guard let first = plans.first, let last = plans.last else { return MigrationReport([]) }
        let path = description.url.path
        do {
            if archive == nil { try SQLiteStoreFile(path).checkKind() }
            guard !description.isReadOnly else { throw StorageError(.readOnly, "The store is open for reading only") }
            let files = files ?? .besideStore(at: path)
            let connection = try StoreSession.connect(path, description, archive)
            // The first read verifies that the file is a store before its journal mode is changed.
            _ = try StoreCatalog.read(from: connection)
            try StoreSession.prepareWAL(of: connection, description)
            // Each table is scanned once, so pages in a large cache would not be used again.
            try connection.execute("PRAGMA cache_size=-\(migrationCacheKilobytes)")
            let before = try externalNames(connection, description, first.source)
            func run() throws -> [MigrationStep] {
                try connection.transaction(.immediate) {
                    let made = try plans.indices.map { index in
                        try StoreMigration(
                            plan: plans[index], configuration: description.configuration, connection: connection,
                            files: files, progress: progress,
                            makesSideIndexes: description.journal == .heldByDocument,
                            earlier: Array(plans[..<index]),
                            checksRules: checksRules && index + 1 == plans.count
                        ).run()
                    }
                    let steps = made.compactMap { $0 }.flatMap { $0 }
                    // Versions may differ without a difference of their tables.
                    if made.contains(where: { $0 != nil }), !metadata.isEmpty {
                        let noted = try StoreMetadata.read(from: connection).applying(metadata)
                        try connection.run("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob([UInt8](noted.encoded))])
                    }
                    try progress?.check()
                    return steps
                }
            }
            let interrupter = connection.interrupter
            let steps: [MigrationStep]
            do {
                steps = try progress?.interruptible({ interrupter.interrupt() }, run) ?? run()
            } catch let error as SQLiteError where error.code == .interrupted {
                try progress?.check()
                throw error
            }
            if !before.isEmpty {
                for name in before.subtracting(try externalNames(connection, description, last.destination)) {
                    try? files.remove(name)
                }
            }
            // A cancellation after the commit must not prevent the checkpoint on close. The next
            // statement resets it.
            _ = try connection.value("SELECT 1")
            try connection.close()
            return MigrationReport(steps)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private static let migrationCacheKilobytes = 4_096

    /// The effects that `migrate` would have on a store, with an estimate of its cost. Nothing is
    /// written, and no rows are read.
    ///
    /// The later plans of a chain are evaluated on an empty in-memory database with the store's
    /// tables.
    package static func migrationPreview(
        _ description: PersistentStoreDescription, _ plans: [MigrationPlan], in archive: ArchivedDatabase? = nil,
        files: ExternalValues? = nil
    ) throws -> MigrationReport {
        try rehearsing(description, plans, archive, files) { try $0.report() }
    }

    /// Checks the rows of a store as `migrate` checks them. Nothing is written.
    /// - Returns: False if only migrating a copy can tell.
    /// - Throws: The error with which `migrate` would refuse the rows.
    package static func checkMigration(
        _ description: PersistentStoreDescription, _ plans: [MigrationPlan], in archive: ArchivedDatabase? = nil,
        files: ExternalValues? = nil
    ) throws -> Bool {
        try rehearsing(description, plans, archive, files) { try $0.checkRows() }
    }

    private static func rehearsing<Result>(
        _ description: PersistentStoreDescription, _ plans: [MigrationPlan], _ archive: ArchivedDatabase?,
        _ files: ExternalValues?, _ body: (MigrationRehearsal) throws -> Result
    ) throws -> Result {
        let path = description.url.path
        func run(_ connection: Connection) throws -> Result {
            try body(
                MigrationRehearsal(
                    plans, configuration: description.configuration, connection: connection,
                    files: files ?? .besideStore(at: path),
                    makesSideIndexes: description.journal == .heldByDocument))
        }
        do {
            if let archive { return try run(Connection.openForReading(archive, workingPath: path)) }
            try SQLiteStoreFile(path).checkKind()
            return try Connection.reading(path, run)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Checks a migrated store against what the new version demands and the old one did not, after
    /// handlers have changed its objects.
    /// - Throws: `StorageError` `invalidObjects`.
    package static func checkRules(_ description: PersistentStoreDescription, after plan: MigrationPlan) throws {
        let path = description.url.path
        do {
            try Connection.reading(path) { connection in
                try StoreMigration(
                    plan: .keeping(plan.destination), configuration: description.configuration,
                    connection: connection, files: .besideStore(at: path), progress: nil, makesSideIndexes: false,
                    earlier: [plan]
                ).checkRules()
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// The names of the external values, if their files belong to this store alone and must be
    /// removed with their last reference.
    private static func externalNames(
        _ connection: Connection, _ description: PersistentStoreDescription, _ model: ManagedObjectModel
    ) throws -> Set<String> {
        guard description.journal == .asFound,
            let layout = try? StoreLayout.reading(model, from: try StoreCatalog.read(from: connection))
        else { return [] }
        var names: Set<String> = []
        for storage in layout.storedEntities {
            for case .attribute(let column) in storage.properties where column.hasStoragePrefix {
                let name = SQLName.quoted(column.name)
                let cells = try connection.rows(
                    "SELECT \(name) FROM \(SQLName.quoted(storage.table)) WHERE substr(\(name), 1, 1) = x'02' AND length(\(name)) < 64"
                )
                names.formUnion(cells.compactMap { $0[0].blob.flatMap { ExternalValues.name(inCell: Data($0)) } })
            }
        }
        return names
    }
}
