import Foundation
import Migration
import ModelFiles
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// A store that is migrated and looked at from all sides.
struct MigratedStore {
    let url: URL

    static func make(_ model: ManagedObjectModel, at url: URL, objectsPerEntity: Int = 3, seed: Int = 0) throws
        -> MigratedStore
    {
        let store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: model)
        try StoreGenerator.fill(store, objectsPerEntity: objectsPerEntity, seed: seed)
        try store.close()
        return MigratedStore(url: url)
    }

    func copy(to other: URL) throws -> MigratedStore {
        try FileManager.default.copyContents(of: url, to: other)
        func support(_ url: URL) -> URL {
            url.deletingLastPathComponent().appendingPathComponent(
                ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT")
        }
        if FileManager.default.fileExists(atPath: support(url).path) {
            try FileManager.default.copyContents(of: support(url), to: support(other))
        }
        return MigratedStore(url: other)
    }

    func snapshot(_ model: ManagedObjectModel? = nil) throws -> StoreSnapshot {
        var description = PersistentStoreDescription(url: url)
        description.isReadOnly = true
        let store = try SQLitePersistentStore.open(description, model: model)
        defer { try? store.close() }
        return try StoreSnapshot(of: store)
    }

    @discardableResult
    func migrate(from old: ManagedObjectModel, to new: ManagedObjectModel, progress: MigrationProgress? = nil) throws
        -> MigrationReport
    {
        try SQLitePersistentStore.migrate(
            PersistentStoreDescription(url: url), [try .inferred(from: old, to: new)], progress: progress)
    }

    /// Everything about the file that must be as in a new store of the model.
    func checkLayout(_ model: ManagedObjectModel, _ place: String) throws {
        let fresh = try Connection.inMemory()
        for statement in try SQLitePersistentStore.creationStatements(for: model) { try fresh.execute(statement) }
        try Connection.reading(url.path) { connection in
            #expect(try connection.value("PRAGMA integrity_check") == .text("ok"), "\(place)")
            #expect(try Self.columns(connection) == Self.columns(fresh), "\(place)")
            #expect(try Self.indexes(connection) == Self.indexes(fresh), "\(place)")
            let entities = try connection.rows(
                "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
            #expect(entities.compactMap { $0[1].text } == model.entities.map(\.name), "\(place)")
            #expect(entities.compactMap { $0[0].integer } == model.entities.map { Int64($0.index + 1) }, "\(place)")
            for entity in model.entities where entity.superentity == nil {
                let (greatest, used) = (
                    try connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity.index + 1)")?.integer
                        ?? -1,
                    try connection.value("SELECT ifnull(max(Z_PK), 0) FROM \"Z\(entity.name.uppercased())\"")?.integer
                        ?? 0
                )
                #expect(greatest >= used, "\(place) \(entity.name)")
            }
        }
        let info = try SQLiteStoreFile(url).modelInfo()
        #expect(info.versionHashes == model.versionHashesByEntityName, "\(place)")
        #expect(info.versionIdentifiers == model.definition.versionIdentifiers, "\(place)")
        #expect(info.metadata["NSStoreModelVersionHashesDigest"] == .string(model.versionHashesDigest), "\(place)")
        #expect(info.metadata["NSStoreModelVersionChecksumKey"] == .string(model.versionChecksum), "\(place)")
        #expect(try info.embeddedModel()?.compiledDescription == model.compiledDescription, "\(place)")
    }

    /// Tables with their columns and types.
    private static func columns(_ connection: Connection) throws -> Set<String> {
        let rows = try connection.rows(
            "SELECT upper(m.name) || '.' || upper(c.name) || ' ' || upper(c.type) FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name LIKE 'Z%'"
        )
        return Set(rows.compactMap(\.[0].text))
    }

    private static func indexes(_ connection: Connection) throws -> Set<String> {
        let rows = try connection.rows(
            "SELECT upper(m.tbl_name) || (SELECT group_concat(upper(x.name) || x.\"desc\", ',') FROM pragma_index_xinfo(m.name) x WHERE x.key) || (m.sql LIKE '%UNIQUE INDEX%') "
                + "FROM sqlite_schema m WHERE m.type = 'index' AND m.sql IS NOT NULL AND m.tbl_name LIKE 'Z%'")
        return Set(rows.compactMap(\.[0].text))
    }
}
