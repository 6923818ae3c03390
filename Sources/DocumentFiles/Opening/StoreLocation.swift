internal import ArchiveKit
internal import Coding
internal import FileSystem
package import Foundation
package import SQLiteKit
package import SQLiteStore
package import Schema
package import Storage

/// Where the parts of a document are: in a package, in an archive and its working set, or, for a
/// store by itself, nowhere.
///
/// An archive's store is read where it lies, at its entry's place, and what is committed goes to a
/// WAL in the working set; only one that is compressed is taken out.
package struct StoreLocation {
    /// The store's main file, or where it would be if it were one.
    package let storePath: String
    /// The package, or the working set of an archive; nil where there is neither.
    package var package: String?
    package var archive: ArchiveFile?
    /// The store as it lies in the archive.
    package var database: ArchivedDatabase?
    /// Of a package in a shared place: where its WAL is.
    package var workingSet: String?
    /// A folder that goes when the session ends.
    var temporaryFolder: String?

    /// What an opening has found in the package so far; nil once it is open.
    private var reader: PackageReader?

    /// A package, or a store by itself.
    /// - Parameter reader: The package as the opening looks at it.
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

    /// A package in a shared place, with the working set that has its WAL.
    init(sharedPackage path: String, _ workingSet: WorkingSet) throws {
        package = path
        self.workingSet = workingSet.path
        storePath = FilePath.join(workingSet.path, PackageLayout.store)
        guard try !Disk.exists(storePath) else { return }
        let file = try File(FilePath.join(path, PackageLayout.store), .read), status = try file.status()
        database = try ArchivedDatabase(file, offset: 0, length: status.size, expecting: status.identity)
    }

    /// An archive that is only read.
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

    /// A copy of the store of another place, in a folder that goes when the session ends; all else
    /// stays where it is.
    init(copyIn folder: String, of place: StoreLocation) {
        package = place.package
        archive = place.archive
        workingSet = nil
        temporaryFolder = folder
        storePath = FilePath.join(folder, PackageLayout.store)
    }

    /// The same when it is open, and may change.
    package var opened: StoreLocation {
        var place = self
        place.reader = nil
        return place
    }

    package func manifest() throws -> DocumentManifest? {
        if let archive { return try archive.manifest() }
        return try package.map { try (reader ?? PackageReader($0)).manifest() }
    }

    /// Makes sure that SQLite meets nothing planted when it opens the store.
    package func check() throws {
        guard let package else { return }
        guard let workingSet else {
            return try (reader ?? PackageReader(package)).checkStore(hasMainFile: database == nil)
        }
        try PackageReader(package).checkStore()
        try PackageReader(workingSet).checkStore(hasMainFile: database == nil)
    }

    /// Whether there are commits that the main file lacks; after `check`, which has looked where an
    /// opening has the lock.
    package func hasWAL() throws -> Bool { try reader?.hasWAL ?? StoreWAL(ofStoreAt: storePath).hasContent() }

    /// What the store says of itself; it need not be open.
    package func storedModelInfo() throws -> StoredModelInfo {
        guard let database else {
            return try SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: storePath))
        }
        return try SQLitePersistentStore.storedModelInfo(in: database, workingPath: storePath)
    }

    /// What the store's last commit noted; nil where it is none of a document.
    package func marker() throws -> DocumentMarker? { try DocumentMarker(storedModelInfo().metadata) }

    /// The large values. Those that `known` has are there still, and it is what goes on.
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

    /// - Parameter likely: The name of the model that the store most likely has.
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
    /// The names of the models that the document carries.
    package func modelNames() throws -> [String] {
        let own = try package.map { try PackageReader($0).modelNames() } ?? []
        return own + (archive?.modelNames().filter { !own.contains($0) } ?? [])
    }

    /// The model under `model/` whose version hashes are these, with its name; nil where none fits.
    /// - Parameter likely: The name of the one that it most likely is.
    package func model(fitting hashes: [String: Data], likely: String? = nil) throws -> (
        name: String, model: ManagedObjectModel
    )? {
        if let package, let found = try (reader ?? PackageReader(package)).model(fitting: hashes, likely: likely) {
            return found
        }
        return try archive?.model(fitting: hashes)
    }

    /// The bytes of a model's `contents`; nil where the document has none of this name.
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
    /// Notes the checksum of the model's file.
    mutating func note(_ contents: [UInt8]) { checksum = Self.checksum(contents) }

    /// Whether the model's file is the one that was noted, as far as one was.
    func fits(_ contents: [UInt8]) -> Bool { checksum == nil || checksum == Self.checksum(contents) }

    private static func checksum(_ contents: [UInt8]) -> String { String(CRC32.checksum(contents), radix: 16) }
}
