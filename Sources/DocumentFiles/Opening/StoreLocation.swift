internal import ArchiveKit
internal import Coding
internal import FileSystem
package import Foundation
package import SQLiteKit
package import SQLiteStore
package import Schema
package import Storage

/// The locations of a document's parts: in a package, in an archive and its working set, or those
/// of a bare store.
///
/// The store of an archive is read in place, at the offset of its entry, and commits go to a WAL in
/// the working set. Only a compressed store is extracted.
package struct StoreLocation {
    /// The path of the store's main file, or the path that it would have if it were not in an
    /// archive.
    package let storePath: String
    /// The package, or the working set of an archive; nil if there is neither.
    package var package: String?
    package var archive: ArchiveFile?
    /// The store inside the archive, read in place.
    package var database: ArchivedDatabase?
    /// For a package on a shared volume, the working set that contains its WAL.
    package var workingSet: String?
    /// A temporary folder that is removed when the session ends.
    var temporaryFolder: String?

    /// The package reader of an opening in progress, with its cached results; nil once the document
    /// is open.
    private var reader: PackageReader?

    /// A package or a bare store.
    /// - Parameter reader: The reader that the opening uses for the package.
    init(_ document: DetectedDocument, opening reader: PackageReader? = nil) {
        self.reader = reader
        package = document.kind == .package ? document.path : nil
        storePath = DetectedDocument.storePath(document.kind, document.path)
    }

    /// An archive with its working set.
    /// - Parameter isTrusted: Whether this program has just written the archive.
    init(_ archive: ArchiveFile, _ workingSet: WorkingSet, isTrusted: Bool = false) throws {
        self.archive = archive
        package = workingSet.path
        storePath = FilePath.join(workingSet.path, PackageLayout.store)
        if try !Disk.exists(storePath) { database = try archive.database(isTrusted: isTrusted) }
    }

    /// A package on a shared volume, with the working set that contains its WAL.
    init(sharedPackage path: String, _ workingSet: WorkingSet) throws {
        package = path
        self.workingSet = workingSet.path
        storePath = FilePath.join(workingSet.path, PackageLayout.store)
        guard try !Disk.exists(storePath) else { return }
        let file = try File(FilePath.join(path, PackageLayout.store), .read), status = try file.status()
        database = try ArchivedDatabase(file, offset: 0, length: status.size, expecting: status.identity)
    }

    /// An archive that is open for reading.
    init(reading archive: ArchiveFile) throws {
        self.archive = archive
        let folder = StateFolder.temporaryPath()
        temporaryFolder = folder
        storePath = FilePath.join(folder, PackageLayout.store)
        database = try archive.database(isTrusted: false)
        guard database == nil else { return }
        do {
            try StateFolder.makeTemporary(folder)
            try archive.reader.extract(into: folder) { $0 == PackageLayout.store }
        } catch {
            StateFolder.removeTemporary(folder)
            throw error
        }
    }

    /// A copy of the store of another place, in a temporary folder that is removed when the session
    /// ends. All other parts are those of the other place.
    init(copyIn folder: String, of place: StoreLocation) {
        package = place.package
        archive = place.archive
        workingSet = nil
        temporaryFolder = folder
        storePath = FilePath.join(folder, PackageLayout.store)
    }

    /// This place for an open document, without cached results.
    package var opened: StoreLocation {
        var place = self
        place.reader = nil
        return place
    }

    package func manifest() throws -> DocumentManifest? {
        if let archive { return try archive.manifest() }
        return try package.map { try (reader ?? PackageReader($0)).manifest() }
    }

    /// Makes sure that the store's files are regular files of the document, before SQLite opens
    /// them.
    package func check() throws {
        guard let package else { return }
        guard let workingSet else {
            return try (reader ?? PackageReader(package)).checkStore(hasMainFile: database == nil)
        }
        try PackageReader(package).checkStore()
        try PackageReader(workingSet).checkStore(hasMainFile: database == nil)
    }

    /// Whether there may be commits that the main file lacks. Call after `check`, which caches the
    /// result for an opening with the lock.
    package func hasWAL() throws -> Bool { try reader?.hasWAL ?? StoreWAL(ofStoreAt: storePath).hasContent() }

    /// The metadata of the store. The store need not be open.
    package func storedModelInfo() throws -> StoredModelInfo {
        guard let database else {
            return try SQLiteStoreFile(storePath).modelInfo()
        }
        return try StoredModelInfo.read(in: database, workingPath: storePath)
    }

    /// The marker of the store's last commit; nil if the store is not that of a document.
    package func marker() throws -> DocumentMarker? { try DocumentMarker(storedModelInfo().metadata) }

    /// The large values.
    /// - Parameter known: The folder of the previous session, which contains the same values and is
    ///   continued; nil if there is none.
    package func content(_ known: ContentFolder? = nil) -> ContentFolder? {
        guard let archive else { return package.map { ContentFolder(inPackage: $0) } }
        guard let folder = package ?? temporaryFolder else {
            preconditionFailure("An archive is opened with a folder for what has to be taken out")
        }
        let values = ArchivedValues(archive.reader, scratch: FilePath.join(folder, PackageLayout.scratch))
        guard let known else { return ContentFolder(in: values, workingSet: folder) }
        known.move(to: values, workingSet: folder)
        return known
    }

    /// - Parameter likely: The name of the model that the store probably has.
    package func open(
        _ description: PersistentStoreDescription, _ content: ContentFolder?, likely: String? = nil,
        model choice: ModelChoice
    ) throws -> SQLitePersistentStore {
        let resolver: (StoreSignature?) throws -> ManagedObjectModel? = { signature in
            guard let signature else { return nil }
            return try choice.model(fitting: signature.versionHashes)
                ?? model(fitting: signature.versionHashes, likely: likely)?.model
        }
        guard let database else {
            return try SQLitePersistentStore.open(description, files: content?.externalValues, resolvingModel: resolver)
        }
        guard let content else { preconditionFailure("An archive has a place for its values") }
        return try SQLitePersistentStore.open(
            description, in: database, files: content.externalValues, resolvingModel: resolver)
    }

    /// The size of the store without its WAL, in bytes.
    package func storeBytes() throws -> Int64 { try database?.length ?? Disk.status(of: storePath)?.size ?? 0 }
}

// MARK: Models

extension StoreLocation {
    /// The names of the models in the document.
    package func modelNames() throws -> [String] {
        let own = try package.map { try PackageReader($0).modelNames() } ?? []
        return own + (archive?.modelNames().filter { !own.contains($0) } ?? [])
    }

    /// The model in the document with these version hashes, and its name; nil if there is none.
    /// - Parameter likely: The name of the model that is tried first.
    package func model(fitting hashes: [String: Data], likely: String? = nil) throws -> (
        name: String, model: ManagedObjectModel
    )? {
        if let package, let found = try (reader ?? PackageReader(package)).model(fitting: hashes, likely: likely) {
            return found
        }
        return try archive?.model(fitting: hashes)
    }

    /// The bytes of a model's `contents`; nil if the document has no model with this name.
    func modelBytes(_ name: String) throws -> [UInt8]? {
        if let package, case let reader = try PackageReader(package), try reader.modelNames().contains(name) {
            return try reader.model(name)
        }
        guard let archive, archive.modelNames().contains(name) else { return nil }
        return try archive.reader.read(
            "\(PackageLayout.models)/\(name).xcdatamodel/contents", limit: PackageReader.largestModel)
    }
}

extension DocumentManifest.Model {
    /// Records the checksum of the model's file.
    mutating func note(_ contents: [UInt8]) { checksum = Self.checksum(contents) }

    /// Whether the model's file matches the recorded checksum, if there is one.
    func fits(_ contents: [UInt8]) -> Bool { checksum == nil || checksum == Self.checksum(contents) }

    private static func checksum(_ contents: [UInt8]) -> String { String(CRC32.checksum(contents), radix: 16) }
}
