import Coding
import FileSystem
package import Foundation
package import Schema
package import Storage

extension AtomicPersistentStore {
    /// The version that an XML or a binary store was written with.
    package static func writtenVersion(ofStoreAt url: URL) throws -> WrittenVersion {
        let info = try storedInfo(at: url)
        var model: ManagedObjectModel?
        if let bytes = info.modelBytes, !bytes.isEmpty, case .binary(let models)? = builtInFormat(info.type) {
            model = try models.decode(bytes)
        }
        return WrittenVersion(hashes: info.versionHashes, model: model)
    }

    /// The version that a store of an application's own was written with.
    package static func writtenVersion(
        of kind: any AtomicStore.Type, _ description: PersistentStoreDescription, _ model: ManagedObjectModel
    ) throws -> WrittenVersion {
        let store = try kind.init(description, model: model)
        defer { try? store.close() }
        let values = try store.load()?.metadata ?? [:]
        let metadata = StoreMetadata(uuid: "", values: values.mapValues { .init($0) })
        return WrittenVersion(hashes: metadata.versionHashes, model: nil)
    }

    /// Writes an XML or a binary store anew, in another version of its model, and opens it.
    ///
    /// The store keeps its UUID, its metadata and its lock; the new content replaces the old one
    /// at once when `fill` has returned. Any error leaves the store as it was.
    /// - Parameter fill: Copies the objects of the first store to the second.
    /// - Throws: `StorageError`, `busy` if another program has changed the store meanwhile; errors
    ///   of `fill`.
    package static func rewrite(
        _ description: PersistentStoreDescription, from old: ManagedObjectModel, to new: ManagedObjectModel,
        fill: (AtomicPersistentStore, AtomicPersistentStore) throws -> Void
    ) throws -> AtomicPersistentStore {
        guard let format = builtInFormat(description.type) else {
            throw StorageError(
                .unsupported, "A store of type \(description.type.rawValue) is in no file",
                path: description.url.path)
        }
        let source = try open(description, model: old, format: format)
        let modelBytes: Data = if case .binary(let models) = format { try models.encode(new) } else { Data() }
        return try rewrite(source, format, new, modelBytes, fill: fill)
    }

    /// Writes a store of an application's own anew, as
    /// ``rewrite(_:from:to:fill:)`` does: by one ``AtomicStore/save(_:)``.
    package static func rewrite(
        _ kind: any AtomicStore.Type, _ description: PersistentStoreDescription, from old: ManagedObjectModel,
        to new: ManagedObjectModel, fill: (AtomicPersistentStore, AtomicPersistentStore) throws -> Void
    ) throws -> AtomicPersistentStore {
        guard let source = try customFactory(kind).open(description, old) as? AtomicPersistentStore else {
            preconditionFailure("The factory makes stores of this class")
        }
        let store = try kind.init(description, model: new)
        return try rewrite(source, .custom(store, description.type), new, Data(), fill: fill)
    }

    private static func rewrite(
        _ source: AtomicPersistentStore, _ format: StoreFormat, _ new: ManagedObjectModel, _ modelBytes: Data,
        fill: (AtomicPersistentStore, AtomicPersistentStore) throws -> Void
    ) throws -> AtomicPersistentStore {
        let description = source.description
        do {
            let (metadata, file) = try source.withSession { ($0.metadata, $0.file) }
            let shape = try TableShape(new, configuration: description.configuration)
            if case .xml = format { _ = try XMLStoreNames(shape) }
            let table = RowTable(
                shape, identity: StoreIdentity(uuid: metadata.uuid, model: new), numbers: format.numbers)
            let target = AtomicPersistentStore(
                session: AtomicSession(
                    description: description, table: table,
                    metadata: metadata.describing(new, configuration: description.configuration), format: format,
                    file: file, modelBytes: modelBytes))
            try target.writingOnce {
                try fill(source, target)
                try target.noteNumbers(of: source)
            }
            try source.close()
            return target
        } catch {
            try? source.close()
            guard error is FileSystemError || error is CodingError || error is StorageError else { throw error }
            throw StorageError(below: error, path: description.url.path)
        }
    }

    /// Notes the numbers that another version of the store has given: no number is given twice.
    private func noteNumbers(of other: AtomicPersistentStore) throws {
        let given = try other.withSession { session in
            let entities = session.table.shape.model.entities.filter { $0.superentity == nil }
            return entities.map { ($0.name, session.table.numbers.next(root: $0.index)) }
        }
        try withSession { session in
            for (name, next) in given where next > 1 {
                guard let entity = session.table.shape.model.entity(named: name) else { continue }
                session.table.numbers.note(next - 1, root: entity.rootIndex)
            }
        }
    }
}
