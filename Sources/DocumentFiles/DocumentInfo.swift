internal import ArchiveKit
internal import FileSystem
public import Foundation
internal import SQLiteStore
public import Schema
internal import Storage

/// What there is to say of a document without working with it. Made from the manifest alone where
/// that says everything.
///
///     let info = try DocumentInfo(of: url)
///     print(info.kind, info.entities["Book"] ?? 0)
public struct DocumentInfo: Sendable, Hashable {
    public struct Model: Sendable, Hashable {
        /// The name of the version; nil for a store by itself.
        public var name: String?
        public var identifiers: [String]
        /// The digest of the version hashes, base64; empty where a store without a model records
        /// none.
        public var digest: String
        /// Whether there is a model, the document's own or one that was given. Without one, all
        /// that is known of a store is what its tables or its file say.
        public var isKnown = true
    }

    public var kind: DocumentKind
    public var path: String
    public var uuid: String
    /// Nil for a store by itself, as all of Folio's own.
    public var formatVersion: Int?
    public var model: Model
    public var storeType: String
    /// The size of the store's main file.
    public var storeBytes: Int64
    /// How many objects of each entity that is not abstract, sub-entities not counted in; of a
    /// store without a model, of each that its tables or its file know.
    public var entities: [String: Int]
    /// How many earlier versions are kept.
    public var versions: Int
    public var saved: Date?
    /// When the work that is not saved was autosaved.
    public var autosaved: Date?
    public var hasUnsavedChanges: Bool
    /// How many commits of other programs are in the journal beside the store, which no save or
    /// autosave of the document made.
    public var outsideCommits = 0
    public var attachments: Manifest.Attachments
    /// Who edits it just now.
    public var lock: LockHolder?
    public var title: String?
    public var keywords: [String]?

    /// Looks at a document; nothing is written anywhere near it.
    /// - Parameters:
    ///   - countsObjects: Whether objects are counted in the store instead of believing the
    ///     manifest. Costs time in proportion to the document's size.
    ///   - model: The model of a store that carries none.
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
            let (manifest, storeBytes) = try DocumentReading.lookingAgain(
                at: document.path, { try Self.sufficientManifest(document) })
        {
            self.init(document, manifest, lock)
            if let storeBytes { self.storeBytes = storeBytes }
            return
        }
        do {
            self = try DocumentReading.readingOneState(document.path, state, model: model) { try Self($0, lock) }
        } catch  where state == .newest && Self.tellsOfNoModel(error) {
            self = try DocumentReading.repeating { try Self(withoutModel: document, lock) }
        }
    }

    private static func tellsOfNoModel(_ error: any Error) -> Bool {
        let error = (error as? DocumentError)?.underlying ?? error
        return (error as? StorageError)?.code == .noModel
    }

    /// How many commits of other programs are in the journal beside a package's store. Opens the
    /// store only where there is a journal.
    package static func outsideCommits(of url: URL) throws -> Int {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package,
            try StoreWAL(ofStoreAt: DetectedDocument.storePath(document.kind, document.path)).hasContent()
        else { return 0 }
        return try DocumentReading.readingOneState(document.path, .newest, model: .own) { $0.outsideCommits }
    }

    /// The manifest where there is no work that it doesn't know of; nil where the store has to be
    /// asked.
    package static func currentManifest(of url: URL) throws -> Manifest? {
        try sufficientManifest(DetectedDocument(url.path))?.0
    }

    /// The manifest where there is no work that it doesn't know of, with the size of a package's
    /// store.
    private static func sufficientManifest(_ document: DetectedDocument) throws -> (Manifest, storeBytes: Int64?)? {
        try DocumentError.stage(.opening, document.path) {
            switch document.kind {
            case .store, .managedDocument: return nil
            case .package:
                let reader = try PackageReader(document.path)
                try reader.checkStore()
                let store = FilePath.join(document.path, PackageLayout.store)
                if let size = try Disk.status(of: store + "-wal")?.size, size > 0 { return nil }
                let (manifest, isAltered) = try reader.checkedManifest()
                // The store is right, then.
                if isAltered { return nil }
                if try SharedPlace.holds(document.path),
                    try WorkingSet.existing(forPackage: document.path, uuid: manifest.uuid) != nil
                {
                    return nil
                }
                return manifest.lastSave == nil ? (manifest, try Disk.status(of: store)?.size) : nil
            case .archive:
                let archive = try ArchiveFile(document.path)
                let manifest = try archive.manifest()
                if try WorkingSet.existing(for: archive, uuid: manifest.uuid) != nil { return nil }
                return (manifest, nil)
            }
        }
    }

    /// How many versions are kept. What can't be read is not there: damage to versions is
    /// `verify`'s to tell.
    private static func versionCount(_ document: DetectedDocument) -> Int {
        switch document.kind {
        case .package:
            return (try? VersionStore(folder: FilePath.join(document.path, PackageLayout.versions)).list().count) ?? 0
        case .archive:
            let entries = (try? ArchiveFile(document.path))?.reader.directory.entries ?? []
            return entries.count { PackageLayout.isVersion($0.name) && $0.name.hasSuffix(".delta") }
        case .store, .managedDocument: return 0
        }
    }

    private init(_ document: DetectedDocument, _ manifest: Manifest, _ lock: LockHolder?) {
        kind = document.kind
        path = document.path
        uuid = manifest.uuid
        formatVersion = manifest.formatVersion
        model = Model(name: manifest.model.name, identifiers: manifest.model.identifiers, digest: manifest.model.digest)
        storeType = manifest.store.type
        storeBytes = manifest.store.bytes
        entities = manifest.entities
        versions = Self.versionCount(document)
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
            name: session.manifest?.model.name, identifiers: session.model.description.versionIdentifiers,
            digest: session.model.versionHashesDigest)
        storeType = session.store.description.type.rawValue
        storeBytes = try session.place.storeBytes()
        entities = try EntityCounts(counting: session.store).byName
        versions = (try? session.listVersions().count) ?? 0
        saved = marker?.userSave.saved
        autosaved = marker.flatMap { $0.hasUnsavedWork ? $0.committed : nil }
        hasUnsavedChanges = session.hasAutosavedWork
        outsideCommits = session.outsideCommits
        if let content = session.content {
            attachments = try content.attachments()
        } else {
            let files = ExternalValues.besideStore(at: session.storePath)
            let sizes = try (session.sqliteStore?.externalValueNames() ?? []).compactMap {
                try Disk.status(of: files.path($0))?.size
            }
            attachments = Manifest.Attachments(count: sizes.count, bytes: sizes.reduce(0, +))
        }
        self.lock = lock
        title = session.manifest?.title
        keywords = session.manifest?.keywords
    }
}
