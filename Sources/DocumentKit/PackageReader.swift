internal import FileSystem
internal import Foundation

/// The parts of a package folder, read beneath one open descriptor without following any link.
struct PackageReader {
    let path: String
    private let folder: Directory

    init(_ path: String) throws {
        self.path = path
        folder = try Directory(path)
    }

    func manifest() throws -> Manifest {
        let manifestPath = FilePath.join(path, PackageLayout.manifest)
        do {
            return try Manifest.decode(folder.read(PackageLayout.manifest, limit: JSONCoding.maximumSize), path: manifestPath)
        } catch let error as FileSystemError where error.code == .tooLarge {
            throw DocumentError(.malformed, "the manifest is damaged: more than \(JSONCoding.maximumSize) bytes", path: manifestPath)
        }
    }

    func mimetype() throws -> [UInt8] { try folder.read(PackageLayout.mimetype, limit: 1024) }

    /// The names of the models that the package carries.
    func modelNames() throws -> [String] {
        guard try folder.status(of: PackageLayout.models) != nil else { return [] }
        return try folder.directory(PackageLayout.models).entries().compactMap { entry in
            guard entry.kind == .directory, entry.name.hasSuffix(".xcdatamodel") else { return nil }
            return String(entry.name.dropLast(".xcdatamodel".count))
        }
    }

    /// The bytes of a model's `contents`.
    func model(_ name: String) throws -> [UInt8] {
        try folder.read("\(PackageLayout.models)/\(name).xcdatamodel/contents", limit: Self.largestModel)
    }

    static let largestModel = 64 << 20

    /// Makes sure that SQLite meets nothing planted when it opens the store: a plain file with one name in a plain folder, and beside it nothing but its own WAL.
    /// - Parameter hasMainFile: Whether the store's main file must be there, which that of an archive is not.
    func checkStore(hasMainFile: Bool = true) throws {
        guard try folder.status(of: PackageLayout.storeFolder) != nil else {
            throw DocumentError(.malformed, "the document has no store", path: FilePath.join(path, PackageLayout.store))
        }
        let store = try folder.directory(PackageLayout.storeFolder)
        let main = FilePath.name(PackageLayout.store)
        var size: Int64?
        for name in try store.names() {
            func refusal(_ reason: String) -> DocumentError { DocumentError(.malformed, reason, path: FilePath.join(store.path, name)) }
            guard name.hasPrefix(main), ["", "-wal", "-shm"].contains(name.dropFirst(main.count)) else { throw refusal("“\(name)” has no place beside the store") }
            guard let status = try store.status(of: name) else { continue }
            guard status.kind == .file else { throw refusal("not a plain file") }
            guard status.linkCount <= 1 else { throw refusal("has another name (hard link)") }
            if name == main { size = status.size }
        }
        guard hasMainFile else { return }
        guard let size else { throw DocumentError(.malformed, "the document has no store", path: FilePath.join(path, PackageLayout.store)) }
        guard size > 0 else { throw DocumentError(.malformed, "the document's store is empty", path: FilePath.join(path, PackageLayout.store)) }
    }
}
