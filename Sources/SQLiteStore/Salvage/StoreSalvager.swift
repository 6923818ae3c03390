package import Foundation
import FileSystem
import ModelFiles
package import RowMemory
package import Schema
import SQLiteKit
package import Storage

/// Reads as much as possible of a damaged store. It skips damaged pages and cells, and can do
/// without the schema if that is damaged.
///
/// The recovered rows are first copied into a new, sound store beside the copy, with the table and
/// column names of the damaged store. They are then read as from any store.
package final class StoreSalvager {
    package let identity: StoreIdentity
    package let layouts: [RowLayout]
    package let layout: StoreLayout
    /// The store's metadata; empty if they can't be read.
    package let metadata: [String: MetadataValue]
    /// The greatest primary keys that the store had given out, by the names of the entities, as far
    /// as they can be read.
    package let greatestKeys: [String: Int64]
    /// The defects and unreadable parts, up to a thousand.
    package private(set) var findings: [ReferenceFinding] = []
    /// The entities of the rows that were read, by hierarchy and primary key.
    package private(set) var entities: [Int: [Int64: Int]] = [:]
    let session: StoreSession
    private static let mostFindings = 1000

    /// Reads the copy, with the WAL beside it.
    /// - Parameter resolve: Returns the model for the version hashes in the store, which are empty
    ///   if they can't be read; nil uses the store's own model.
    /// - Throws: `StorageError`: `damaged` if nothing can be read, `noModel`.
    /// - Complexity: Reads each page of the copy a fixed number of times, regardless of the damage:
    ///   three times if the b-trees are sound, fewer than ten for leaves that no b-tree refers to.
    ///   Writes a copy of the recovered content.
    package init(
        copyAt path: String, files: ExternalValues,
        resolvingModel resolve: ([String: Data]) throws -> ManagedObjectModel?
    ) throws {
        do {
            var recovery = try StoreRecovery(path)
            let model = try Self.model(&recovery, resolve)
            layout = try recovery.layout(model)
            layouts = RowLayout.layouts(for: model)
            identity = StoreIdentity(uuid: recovery.metadata?.uuid ?? UUID().uuidString, model: model)
            metadata = recovery.metadata?.publicValues ?? [:]
            greatestKeys = recovery.greatestKeysByName
            let sound = path + ".sound"
            let connection = try Connection(sound, .create)
            var builder = RecoveredTables(recovery, layout, connection)
            try builder.fill()
            guard recovery.hasTraces || builder.rowCount > 0 else {
                throw StorageError(.damaged, "Nothing that is left of the store can be read", path: path)
            }
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: sound))
            description.isReadOnly = true
            session = StoreSession(
                path: sound, description: description, connection: connection,
                layout: layout, rowLayouts: layouts, identity: identity,
                files: files)
            findings = Array(builder.findings.prefix(Self.mostFindings))
        } catch {
            throw error is ModelError || error is CancellationError ? error : StorageError(error, path: path)
        }
    }

    /// The cells that are not of their property's type and are lost.
    package func lostCells() throws -> [ReferenceFinding] {
        do { return try StoreFindings(session).cellFindings(onlyLost: true) } catch let error as SQLiteError {
            throw StorageError(error, path: session.path)
        }
    }

    package func close() throws { try session.close() }

    func report(_ message: String, object: String? = nil) {
        if findings.count < Self.mostFindings { findings.append(ReferenceFinding(message, object: object)) }
    }

    func note(_ key: Int64, entityIndex: Int, root: Int) { entities[root, default: [:]][key] = entityIndex }

    private static func model(
        _ recovery: inout StoreRecovery, _ resolve: ([String: Data]) throws -> ManagedObjectModel?
    ) throws -> ManagedObjectModel {
        if let model = try resolve(recovery.metadata?.versionHashes ?? [:]) { return model }
        if let cached = recovery.cachedModel {
            do { return try ModelCache.decode(cached) } catch {
                recovery.report("the store's own model can't be read: \(error)")
            }
        }
        guard recovery.hasTraces else { throw StorageError(.damaged, "Nothing that is left of the store can be read") }
        throw StorageError(.noModel, "The store carries no model that can be read: give the one that it was made with")
    }
}
