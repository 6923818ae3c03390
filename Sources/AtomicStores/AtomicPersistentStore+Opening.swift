import Coding
import FileSystem
package import Foundation
import RowMemory
package import Schema
package import Storage

extension AtomicPersistentStore {
    // MARK: For the coordinator's registry

    /// A store without a file. It is empty when created and is discarded when it is released.
    package static let inMemoryFactory = StoreFactory(type: .inMemory) { description, model in
        guard let model else { throw StorageError(.noModel, "A store in memory needs a model") }
        try checkOptions(description)
        return try make(description, model, format: nil)
    }

    package static let xmlFactory = factory(.xml)

    package static func binaryFactory(_ models: ModelCoding) -> StoreFactory {
        factory(.binary(models))
    }

    private static func factory(_ format: StoreFormat) -> StoreFactory {
        StoreFactory(
            type: format.type, open: { description, model in try open(description, model: model, format: format) },
            metadata: { try storedInfo(at: $0, type: format.type).metadata },
            destroy: { try destroy(at: $0, type: format.type) },
            replace: { try replace($0, $1, type: format.type) })
    }

    // MARK: Opening

    static func checkOptions(_ description: PersistentStoreDescription) throws {
        if let option = description.sqliteOption {
            throw StorageError(
                .unsupported, "A store of type \(description.type.rawValue) has no \(option): use a SQLite store",
                path: description.url.path)
        }
        guard !description.tracksHistory else {
            throw StorageError(
                .unsupported, "A store of type \(description.type.rawValue) keeps no history: use a SQLite store",
                path: description.url.path)
        }
        guard !description.postsRemoteChanges else {
            throw StorageError(
                .unsupported,
                "A store of type \(description.type.rawValue) does not tell of what others save: use a SQLite store",
                path: description.url.path)
        }
    }

    /// Opens an XML store with a model that may differ from the one it was written with. Objects
    /// and properties that the model lacks are an error.
    package static func openXML(
        _ description: PersistentStoreDescription, ignoringVersionHashesOf model: ManagedObjectModel
    ) throws -> AtomicPersistentStore {
        try open(description, model: model, format: .xml, checksHashes: false)
    }

    static func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel?, format: StoreFormat,
        checksHashes: Bool = true
    ) throws -> AtomicPersistentStore {
        try checkOptions(description)
        do {
            var file = try StoreFile(description)
            guard let reading = try file.open() else {
                guard description.createsIfMissing, !description.isReadOnly else {
                    throw StorageError(.notFound, "There is no store")
                }
                guard let model else { throw StorageError(.noModel, "A new store needs a model") }
                return try make(description, model, format: format, file: file)
            }
            let content = try StoredContent(reading, format)
            let model = try content.model(given: model, description, format, checksHashes: checksHashes)
            let shape = try TableShape(model, configuration: description.configuration)
            let table = RowTable(
                shape, identity: StoreIdentity(uuid: content.metadata.uuid, model: model), numbers: format.numbers)
            let unknown = try content.load(into: table, ignoringUnknown: description.ignoresVersioning)
            return AtomicPersistentStore(
                session: AtomicSession(
                    description: description, table: table, metadata: content.metadata, format: format, file: file,
                    modelBytes: content.modelBytes, unknown: unknown))
        } catch {
            throw StorageError(below: error, path: description.url.path)
        }
    }

    /// Creates a new store. With a format it is durable on return.
    static func make(
        _ description: PersistentStoreDescription, _ model: ManagedObjectModel, format: StoreFormat?,
        file: StoreFile? = nil
    ) throws -> AtomicPersistentStore {
        let shape = try TableShape(model, configuration: description.configuration)
        let uuid = UUID().uuidString
        let table = RowTable(
            shape, identity: StoreIdentity(uuid: uuid, model: model), numbers: format?.numbers ?? .perHierarchy)
        let metadata = StoreMetadata(
            uuid: uuid, type: format?.type ?? .inMemory, model: model, configuration: description.configuration)
        var modelBytes = Data()
        switch format {
        case .binary(let models): modelBytes = try models.encode(model)
        case .xml: _ = try XMLStoreNames(shape)
        case .custom, nil: break
        }
        let session = AtomicSession(
            description: description, table: table, metadata: metadata, format: format, file: file,
            modelBytes: modelBytes)
        try session.write()
        return AtomicPersistentStore(session: session)
    }

    // MARK: Lookup

    /// Whether a file with this beginning is an XML store; some kilobytes suffice.
    package static func isXMLStore(_ start: some Sequence<UInt8>) -> Bool { XMLStoreFormat.begins(Array(start)) }

    /// Whether a file with this beginning is a binary store; 8 bytes suffice.
    package static func isBinaryStore(_ start: some Sequence<UInt8>) -> Bool {
        Array(start.prefix(8)) == BinaryStoreFormat.magic
    }

    /// The store's metadata and type, read without a model and without its objects.
    /// - Throws: `StorageError`, as opening does.
    package static func storedInfo(at url: URL) throws -> AtomicStoreInfo {
        do {
            var file = try StoreFile(PersistentStoreDescription(url: url))
            guard let bytes = try file.read() else { throw StorageError(.notFound, "There is no store") }
            if isBinaryStore(bytes.prefix(8)) {
                let content = try BinaryStoreReader(bytes)
                return AtomicStoreInfo(.binary, content.metadata, modelBytes: content.modelBytes)
            }
            return AtomicStoreInfo(.xml, try XMLStoreReader(bytes).metadata, modelBytes: nil)
        } catch {
            throw StorageError(below: error, path: url.path)
        }
    }
}

/// The metadata of a binary or XML store, and its embedded model.
package struct AtomicStoreInfo: Sendable {
    package let type: StoreType
    private let stored: StoreMetadata
    /// The model embedded in a binary store, as encoded by its `ModelCoding`.
    package let modelBytes: Data?

    init(_ type: StoreType, _ stored: StoreMetadata, modelBytes: Data?) {
        self.type = type
        self.stored = stored
        self.modelBytes = modelBytes
    }

    package var uuid: String { stored.uuid }
    package var versionHashes: [String: Data] { stored.versionHashes }
    package var versionIdentifiers: [String] { stored.versionIdentifiers }
    package var metadata: [String: MetadataValue] { stored.publicValues }
}

/// A store's file, parsed as far as that is possible without a model.
private enum StoredContent {
    case binary(BinaryStoreReader)
    case xml(XMLStoreReader)

    init(_ reading: StoreReading, _ format: StoreFormat) throws {
        switch format {
        case .binary: self = .binary(try BinaryStoreReader(reading.bytes()))
        case .xml: self = .xml(try XMLStoreReader(reading.bytes()))
        case .custom: preconditionFailure("A store of another kind has no file that is read here")
        }
    }

    var metadata: StoreMetadata {
        switch self {
        case .binary(let reader): reader.metadata
        case .xml(let reader): reader.metadata
        }
    }

    var modelBytes: Data {
        switch self {
        case .binary(let reader): reader.modelBytes
        case .xml: Data()
        }
    }

    /// The model with which to read the store: the given one, which must match, or else the
    /// embedded one.
    func model(
        given: ManagedObjectModel?, _ description: PersistentStoreDescription, _ format: StoreFormat, checksHashes: Bool
    ) throws -> ManagedObjectModel {
        guard let given else {
            guard case .binary(let models) = format, !modelBytes.isEmpty else {
                throw StorageError(.noModel, "The store carries no model: give the one that it was made with")
            }
            return try models.decode(modelBytes)
        }
        guard checksHashes else { return given }
        try metadata.check(given, description)
        return given
    }

    func load(into table: RowTable, ignoringUnknown ignoresUnknown: Bool) throws -> Set<String> {
        switch self {
        case .binary(let reader): try reader.load(into: table, ignoringUnknown: ignoresUnknown)
        case .xml(let reader): try reader.load(into: table, ignoringUnknown: ignoresUnknown)
        }
    }
}
