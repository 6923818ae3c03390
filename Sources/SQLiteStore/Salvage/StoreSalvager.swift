package import Foundation
import FileSystem
import ModelFiles
package import RowMemory
package import Schema
import SQLiteKit
package import Storage

/// Reads what can be read of a damaged store: tables around their broken pages, rows around their broken cells.
///
/// Works on a copy of its own, which nobody else has open: its header is mended, and indexes, triggers and views are taken out of its schema, since rows are found without
/// them and they may be what is broken.
package final class StoreSalvager {
    package let identity: StoreIdentity
    package let layouts: [RowLayout]
    package let layout: StoreLayout
    /// What the store says of itself; empty where that can't be read.
    package let metadata: [String: MetadataValue]
    /// What was wrong or could not be read, up to a thousand.
    package private(set) var findings: [ReferenceFinding] = []
    /// Which rows were read, by hierarchy and number, each with its entity.
    package private(set) var entities: [Int: [Int64: Int]] = [:]
    let session: StoreSession
    private static let mostFindings = 1000

    /// Opens the copy.
    /// - Parameter resolve: Gives the model by the version hashes that the store records, which are empty where they can't be read; nil for the store's own.
    /// - Throws: `StorageError`: `damaged` where not even the schema can be read, `noModel`.
    package init(copyAt path: String, files: ExternalValues, resolvingModel resolve: ([String: Data]) throws -> ManagedObjectModel?) throws {
        var found: [ReferenceFinding] = try StoreHeader.mend(path).map { ReferenceFinding("the file \($0)") }
        do {
            let connection = try Self.connect(path)
            var catalog = try StoreCatalog.schema(from: connection)
            let read = Self.attempt(&found, "the metadata can't be read") { try StoreMetadata.read(from: connection) }
            let cache = catalog.table("Z_MODELCACHE") == nil
                ? nil : Self.attempt(&found, "the store's own model can't be read") { try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1") }
            guard let model = try resolve(read?.versionHashes ?? [:]) ?? cache??.blob.map({ try ModelCache.decode(Data($0)) }) else {
                throw StorageError(.noModel, "The store carries no model that can be read: give the one that it was made with")
            }
            try Self.complete(&catalog, model, connection, &found)
            layout = try StoreLayout.reading(model, from: catalog)
            layouts = RowLayout.layouts(for: model)
            identity = StoreIdentity(uuid: read?.uuid ?? UUID().uuidString, model: model)
            metadata = read?.publicValues ?? [:]
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
            description.isReadOnly = true
            session = StoreSession(
                path: path, description: description, connection: connection, derivedChanges: DerivedChanges(), layout: layout, rowLayouts: layouts, identity: identity,
                files: files)
        } catch {
            throw error is ModelError ? error : StorageError(error, path: path)
        }
        findings = found
    }

    package func close() throws { try session.close() }

    func report(_ message: String, object: String? = nil) {
        if findings.count < Self.mostFindings { findings.append(ReferenceFinding(message, object: object)) }
    }

    func note(_ key: Int64, entityIndex: Int, root: Int) { entities[root, default: [:]][key] = entityIndex }

    // MARK: Opening

    private static func connect(_ path: String) throws -> Connection {
        // Nothing of the content is trusted, but the schema has to be changed.
        var defense = Defense.foreign
        defense.isDefensive = false
        // A page of which one cell is broken still gives the others.
        defense.checksCells = false
        let connection = try Connection(path, OpenOptions(.readWrite, defense: defense))
        _ = try connection.value("SELECT count(*) FROM sqlite_schema")
        do {
            try connection.execute(
                "PRAGMA writable_schema=ON; DELETE FROM sqlite_schema WHERE type IN ('trigger', 'view') OR type = 'index' AND sql IS NOT NULL; "
                    + "PRAGMA writable_schema=RESET")
        } catch let error as SQLiteError where error.isDamage {
            // They stay, and may be in the way.
        }
        connection.clearCache()
        return connection
    }

    private static func attempt<Result>(_ found: inout [ReferenceFinding], _ what: String, _ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            found.append(ReferenceFinding("\(what): \((error as? SQLiteError)?.message ?? "\(error)")"))
            return nil
        }
    }

    /// Puts in what the model needs and the store has lost: the numbers of entities, tables, columns.
    private static func complete(
        _ catalog: inout StoreCatalog, _ model: ManagedObjectModel, _ connection: Connection, _ found: inout [ReferenceFinding]
    ) throws {
        let expected = try StoreLayout.creating(model, configuration: nil)
        let numbers = attempt(&found, "the numbers of the entities can't be read") { try StoreCatalog.entities(from: connection) }
        let known = Set(model.entities.map(\.name))
        if let numbers, known.isSubset(of: numbers.map(\.name)) {
            catalog.entities = numbers
        } else {
            if numbers != nil { found.append(ReferenceFinding("the numbers of some entities are lost: those of a new store are taken")) }
            catalog.entities = expected.storedEntities.map { storage in
                let entity = model.entities[storage.entityIndex]
                return StoreCatalog.NumberedEntity(
                    number: storage.number, name: entity.name, parent: entity.superentity.flatMap { expected[$0.index]?.number } ?? 0)
            }
        }
        let schema = StoreSchema(expected)
        var isChanged = false
        for table in schema.tables {
            guard let present = catalog.table(table.name) else {
                found.append(ReferenceFinding("the table \(table.name) is lost"))
                try connection.execute(table.statement())
                isChanged = true
                continue
            }
            for column in table.columns where present.column(column.name) == nil && !column.name.hasPrefix("Z_") {
                found.append(ReferenceFinding("the column \(table.name).\(column.name) is lost"))
                try connection.execute("ALTER TABLE \(SQLName.quoted(present.name)) ADD COLUMN \(SQLName.quoted(column.name)) \(column.type.rawValue)")
                isChanged = true
            }
        }
        guard isChanged else { return }
        let entities = catalog.entities
        catalog = try StoreCatalog.schema(from: connection)
        catalog.entities = entities
    }
}
