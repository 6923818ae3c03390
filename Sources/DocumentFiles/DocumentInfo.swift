internal import ArchiveKit
internal import FileSystem
public import Foundation
internal import SQLiteStore
public import Schema
internal import Storage

/// Information about a document that is obtained without opening it for use. It is read from the
/// manifest if that is sufficient.
///
///     let info = try DocumentInfo(of: url)
///     print(info.kind, info.entities["Book"] ?? 0)
public struct DocumentInfo: Sendable, Hashable {
    /// Information about the model of a document.
    public struct Model: Sendable, Hashable {
        /// The name of the model version; nil for a bare store.
        public var name: String?
        /// The version identifiers of the model.
        public var identifiers: [String]
        /// The digest of the version hashes in Base64; empty if a store without a model has none.
        public var digest: String
        /// Whether the model is known, from the document or as an argument. If not, information
        /// about a store is limited to what its tables or its file contain.
        public var isKnown = true
    }

    /// The kind of document.
    public var kind: DocumentKind
    /// The path of the document, with symbolic links resolved.
    public var path: String
    /// The UUID of the document, which is that of its store.
    public var uuid: String
    /// The version of the document format; nil for a bare store.
    public var formatVersion: Int?
    /// The model of the document.
    public var model: Model
    /// The type of the store, such as `SQLite`.
    public var storeType: String
    /// The size of the store's main file in bytes.
    public var storeBytes: Int64
    /// The number of objects of each entity that is not abstract, without sub-entities. For a store
    /// without a model, of each entity that its tables or its file contain.
    public var entities: [String: Int]
    /// The number of earlier versions that are kept.
    public var versions: Int
    /// The time of the last save; nil for a bare store.
    public var saved: Date?
    /// The time of the last autosave if there is autosaved work that is not saved.
    public var autosaved: Date?
    /// Whether there is autosaved work that is not saved.
    public var hasUnsavedChanges: Bool
    /// The number of commits by other programs in the WAL beside the store, which no save or
    /// autosave of the document made.
    public var outsideCommits = 0
    /// What the store lacks of its model, for people: tables and columns, without which it is read.
    /// Empty for a complete store, and where only the manifest was read.
    public var missingParts: [String] = []
    /// The number of conflicts of merges that nobody has decided yet.
    public var undecidedConflicts = 0
    /// The number and size of the attachments: large values that are stored in files of their own.
    public var attachments: DocumentManifest.Attachments
    /// The process that is editing the document; nil if there is none.
    public var lock: LockHolder?
    /// The title of the document.
    public var title: String?
    /// The keywords of the document.
    public var keywords: [String]?

    /// Reads information about a document. Nothing is written to it or beside it.
    ///
    /// - Parameters:
    ///   - countsObjects: Whether the objects in the store are counted, instead of using the counts
    ///     of the manifest. Takes time proportional to the size of the document.
    ///   - model: The model of a store that contains none.
    /// - Throws: `DocumentError`, as `PersistentDocument.open`.
    public init(of url: URL, countsObjects: Bool = false, model: ManagedObjectModel? = nil) throws {
        try self.init(of: url, countsObjects: countsObjects, fitting: ModelChoice(model))
    }

    package init(
        of url: URL, state: DocumentState = .newest, countsObjects: Bool,
        fitting model: ModelChoice
    ) throws {
        let document = try DetectedDocument(url.path)
        let lock = DocumentLock.holder(of: document.path)
        if !countsObjects, state == .newest,
            let (manifest, storeBytes, archive) = try DocumentReading.retryingWhileChanging(
                at: document.path, { try Self.sufficientManifest(document) })
        {
            self.init(document, manifest, archive, lock)
            if let storeBytes { self.storeBytes = storeBytes }
            return
        }
        do {
            self = try DocumentReading.readingOneState(document.path, state, model: model) { try Self($0, lock) }
        } catch  where state == .newest && Self.tellsOfNoModel(error) {
            self = try DocumentReading.repeating { try Self(withoutModel: document, lock) }
        }
    }

    /// Whether a document carries no model and can't be read without one. False for what can't be
    /// read for another reason.
    package static func carriesNoModel(_ url: URL) -> Bool {
        do {
            return try DocumentReading.readingOneState(url.path, .newest, model: .own) { _ in false }
        } catch {
            return tellsOfNoModel(error)
        }
    }

    private static func tellsOfNoModel(_ error: any Error) -> Bool {
        let error = (error as? DocumentError)?.underlying ?? error
        return (error as? StorageError)?.code == .noModel
    }

    /// The number of commits by other programs in the WAL of a package's store. Opens the store
    /// only if there is a WAL.
    package static func outsideCommits(of url: URL) throws -> Int {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package,
            try StoreWAL(ofStoreAt: DetectedDocument.storePath(document.kind, document.path)).hasContent()
        else { return 0 }
        return try DocumentReading.readingOneState(document.path, .newest, model: .own) { $0.outsideCommits }
    }

    /// What the store of a document lacks of its model. Opens the store.
    package static func missingParts(of url: URL, fitting model: ModelChoice) throws -> [String] {
        try DocumentReading.readingOneState(url.path, .newest, model: model) { $0.store.missingParts }
    }

    /// The manifest if it describes the current state; nil if there is newer work, so that the
    /// store has to be read.
    package static func currentManifest(of url: URL) throws -> DocumentManifest? {
        try sufficientManifest(DetectedDocument(url.path))?.0
    }

    /// The manifest if it describes the current state, with the size of a package's store, or the
    /// archive, whose directory is read once.
    private static func sufficientManifest(_ document: DetectedDocument) throws -> (
        DocumentManifest, storeBytes: Int64?, archive: ArchiveFile?
    )? {
        try DocumentError.stage(.opening, document.path) {
            switch document.kind {
            case .store, .managedDocument: return nil
            case .package:
                let reader = try PackageReader(document.path)
                try reader.checkStore()
                let store = FilePath.join(document.path, PackageLayout.store)
                if let size = try Disk.status(of: store + "-wal")?.size, size > 0 { return nil }
                let (manifest, isAltered) = try reader.checkedManifest()
                // Pages of the store differ from the manifest: read the store itself.
                if isAltered || !manifest.hasCounts { return nil }
                if try SharedLocation.holds(document.path),
                    try WorkingSet.existing(forPackage: document.path, uuid: manifest.uuid) != nil
                {
                    return nil
                }
                return manifest.lastSave == nil ? (manifest, try Disk.status(of: store)?.size, nil) : nil
            case .archive:
                let archive = try ArchiveFile(document.path)
                let manifest = try archive.manifest()
                if try WorkingSet.existing(for: archive, uuid: manifest.uuid) != nil { return nil }
                return (manifest, nil, archive)
            }
        }
    }

    /// The number of versions. Versions that can't be read are not counted; `verify` reports them.
    private static func versionCount(_ document: DetectedDocument, _ archive: ArchiveFile?) -> Int {
        switch document.kind {
        case .package:
            return (try? VersionStore(folder: FilePath.join(document.path, PackageLayout.versions)).list().count) ?? 0
        case .archive:
            let entries = archive?.reader.directory.entries ?? []
            return entries.count { PackageLayout.isVersion($0.name) && $0.name.hasSuffix(".delta") }
        case .store, .managedDocument: return 0
        }
    }

    private init(
        _ document: DetectedDocument, _ manifest: DocumentManifest, _ archive: ArchiveFile?, _ lock: LockHolder?
    ) {
        kind = document.kind
        path = document.path
        uuid = manifest.uuid
        formatVersion = manifest.formatVersion
        model = Model(name: manifest.model.name, identifiers: manifest.model.identifiers, digest: manifest.model.digest)
        storeType = manifest.store.type
        storeBytes = manifest.store.bytes
        entities = manifest.entities
        versions = Self.versionCount(document, archive)
        undecidedConflicts = Self.conflictCount(document.kind, document.path, archive)
        saved = manifest.saved
        autosaved = nil
        hasUnsavedChanges = false
        attachments = manifest.attachments
        self.lock = lock
        title = manifest.title
        keywords = manifest.keywords
    }

    private init(_ session: DocumentSession, _ lock: LockHolder?) throws {
        let marker = session.marker
        kind = session.kind
        path = session.path
        uuid = session.uuid
        formatVersion = session.manifest?.formatVersion
        model = Model(
            name: session.manifest?.model.name, identifiers: session.model.definition.versionIdentifiers,
            digest: session.model.versionHashesDigest)
        storeType = session.store.description.type.rawValue
        storeBytes = try session.place.storeBytes()
        entities = try EntityCounts(counting: session.store).byName
        versions = (try? session.listVersions().count) ?? 0
        undecidedConflicts = Self.conflictCount(session)
        saved = marker?.userSave.saved
        autosaved = marker.flatMap { $0.hasUnsavedWork ? $0.committed : nil }
        hasUnsavedChanges = session.hasAutosavedWork
        outsideCommits = session.outsideCommits
        missingParts = session.store.missingParts
        if let content = session.content {
            attachments = try content.attachments()
        } else {
            let files = ExternalValues.besideStore(at: session.storePath)
            let sizes = try (session.sqliteStore?.externalValueNames() ?? []).compactMap {
                try Disk.status(of: files.path($0))?.size
            }
            attachments = DocumentManifest.Attachments(count: sizes.count, bytes: sizes.reduce(0, +))
        }
        self.lock = lock
        title = session.manifest?.title
        keywords = session.manifest?.keywords
    }
}
