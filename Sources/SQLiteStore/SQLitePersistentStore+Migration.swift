import Foundation
import FileSystem
import ModelFiles
import Schema
package import SQLiteKit
package import Storage

/// What a migration in place does, or would do, for a person to read.
package struct MigrationReport: Sendable, Hashable {
    /// One line for every step.
    package var steps: [String]
    /// The SQL of the steps.
    package var statements: [String]
    /// How many rows the steps go through, those of several passes counted each time; an estimate
    /// by the tables' greatest numbers.
    package var rows: Int64 = 0
    /// How many bytes the steps write at most, as far as that can be told by the share of the rows;
    /// 0 where only the schema changes.
    package var bytes: Int64 = 0
    /// Whether there was anything to do.
    package var isNeeded: Bool { !steps.isEmpty }
}

extension SQLitePersistentStore {
    /// Brings a store that nobody has open here to another version of its model, where it stands,
    /// in one transaction.
    ///
    /// Whatever is thrown, by a step or by `progress.cancel()`, leaves the store as it was. A store
    /// that is of the new version already stays untouched. Time: as few passes over the rows as the
    /// changes need, none for columns that are added or renamed. Memory does not depend on the
    /// rows.
    /// - Parameters:
    ///   - plans: One after the other, all in the one transaction. A plan whose destination the
    ///     store is of already is passed over.
    ///   - archive: The archive that the store lies in, where it is no file of its own; what is
    ///     changed goes into the WAL where the file would be.
    ///   - metadata: What else is noted in the store's metadata in the same transaction.
    /// - Throws: `StorageError`: `incompatibleModel` where the store is of neither version;
    ///   `constraint` where objects violate a new uniqueness constraint; `unmigratable`,
    ///   `unsupported`, `cancelled`, and whatever files and disks cause.
    @discardableResult
    package static func migrate(
        _ description: PersistentStoreDescription, _ plans: [MigrationPlan], in archive: ArchivedDatabase? = nil,
        files: ExternalValues? = nil,
        metadata: [String: MetadataValue?] = [:], progress: MigrationProgress? = nil
    ) throws -> MigrationReport {
        guard let first = plans.first, let last = plans.last else { return MigrationReport([]) }
        let path = description.url.path
        do {
            if archive == nil { try checkKind(of: path) }
            guard !description.isReadOnly else { throw StorageError(.readOnly, "The store is open for reading only") }
            let files = files ?? .besideStore(at: path)
            let connection = try StoreSession.connect(path, description, archive)
            // The first look tells whether it is a store at all, before anything of its journal is
            // changed.
            _ = try StoreCatalog.read(from: connection)
            try StoreSession.prepareWAL(of: connection, description)
            // Tables are gone through once, from one end to the other: what a large cache keeps is
            // not asked for again.
            try connection.execute("PRAGMA cache_size=-\(migrationCacheKilobytes)")
            let before = try externalNames(connection, description, first.source)
            func run() throws -> [MigrationStep] {
                try connection.transaction(.immediate) {
                    let steps = try plans.flatMap { plan in
                        try StoreMigration(
                            plan: plan, configuration: description.configuration, connection: connection, files: files,
                            progress: progress,
                            makesSideIndexes: description.journal == .heldByDocument
                        ).run()
                    }
                    if !steps.isEmpty, !metadata.isEmpty {
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
            // A cancellation that comes after the commit must not keep the journal from being
            // folded: the next statement takes it back.
            _ = try connection.value("SELECT 1")
            try connection.close()
            return MigrationReport(steps)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private static let migrationCacheKilobytes = 4_096

    /// What `migrate` would do to a store, with an estimate of what that takes. Nothing is written.
    /// Reads no rows.
    ///
    /// The later plans of a chain are worked out on an empty database in memory that has the
    /// store's tables.
    package static func migrationPreview(
        _ description: PersistentStoreDescription, _ plans: [MigrationPlan], in archive: ArchivedDatabase? = nil
    ) throws -> MigrationReport {
        let path = description.url.path
        func report(_ connection: Connection) throws -> MigrationReport {
            try MigrationRehearsal(
                plans, configuration: description.configuration, connection: connection, files: .besideStore(at: path),
                makesSideIndexes: description.journal == .heldByDocument
            ).report()
        }
        do {
            if let archive { return try report(Connection.openForReading(archive, workingPath: path)) }
            try checkKind(of: path)
            return try Connection.reading(path, report)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// The files of large values, where they are this store's alone and have to be removed with the
    /// last reference.
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

extension MigrationReport {
    init(_ steps: [MigrationStep], rows: Int64 = 0, bytes: Int64 = 0) {
        self.init(steps: steps.map(\.title), statements: steps.map(\.statement), rows: rows, bytes: bytes)
    }
}
