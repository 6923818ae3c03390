package import FileSystem
package import Foundation
internal import ModelFiles
package import Schema

/// Reads the parts of a package relative to one open descriptor, without following symbolic links.
///
/// Each folder is listed once, and the result is cached until `forget` is called. A reader is used
/// for one operation only, with the document's lock if it may change the package.
package struct PackageReader {
    package let path: String
    private let folder: Directory
    private let known = Known()

    /// The cached results.
    private final class Known {
        var parts: [String: [DirectoryEntry]?] = [:]
        /// The folder of the store, if it was opened.
        var store: Directory?
        /// The status of the store's files by name; nil if they were not checked.
        var storeFiles: [String: FileStatus]?
    }

    package init(_ path: String) throws {
        self.path = path
        folder = try Directory(path)
    }

    /// An anchor that keeps the package that is read open, even if its path is replaced.
    var anchor: PathAnchor { PathAnchor(folder) }

    /// The entries of a folder of the package, or of the package itself for nil. Nil if the folder
    /// does not exist.
    func entries(of part: String? = nil) throws -> [DirectoryEntry]? {
        if let found = known.parts[part ?? ""] { return found }
        let found: [DirectoryEntry]?
        if let part {
            found =
                try kind(of: part) == nil
                ? nil : open(part).ownEntries(omittingInvalidNames: !Self.ownFolders.contains(part))
        } else {
            found = try folder.ownEntries(omittingInvalidNames: true)
        }
        known.parts[part ?? ""] = .some(found)
        return found
    }

    /// Opens a folder of the package. The store's folder is kept open, because its files are
    /// checked after listing it.
    private func open(_ part: String) throws -> Directory {
        guard part == PackageLayout.storeFolder else { return try folder.directory(part) }
        if let store = known.store { return store }
        let store = try folder.directory(part)
        known.store = store
        return store
    }

    /// The kind of an item in the package; nil if it does not exist.
    package func kind(of name: String) throws -> FileKind? { try entries()?.first { $0.name == name }?.kind }

    /// The number of folders in a folder of the package, from its link count; nil if it is not a
    /// folder or the file system does not count links.
    func folderCount(in part: String) throws -> Int? {
        guard let status = try folder.status(of: part), status.kind == .directory, status.linkCount >= 2 else {
            return nil
        }
        return status.linkCount - 2
    }

    /// The folders in which all files are Folio's own.
    private static let ownFolders = [PackageLayout.storeFolder, PackageLayout.models]

    /// Discards the cached results after the package was changed.
    package func forget() {
        known.parts = [:]
        known.store = nil
        known.storeFiles = nil
    }

    /// The manifest. If its checksum shows that it was altered, it is returned without checksums
    /// and counts, which must not be copied to the next manifest.
    package func manifest() throws -> DocumentManifest {
        var (manifest, isAltered) = try checkedManifest()
        if isAltered { manifest.forgetCounts() }
        return manifest
    }

    /// The manifest, and whether its checksum shows that it was altered. If so, it is returned
    /// without the checksums of the store, the model and the application's files.
    func checkedManifest() throws -> (manifest: DocumentManifest, isAltered: Bool) {
        let manifestPath = FilePath.join(path, PackageLayout.manifest)
        do {
            let bytes = try folder.read(PackageLayout.manifest, limit: JSONCoding.maximumSize)
            var manifest = try DocumentManifest.decode(bytes, path: manifestPath)
            let isAltered = DocumentManifest.isAltered(bytes, manifest)
            // Altered checksums are useless for checking, and must not be copied to the next
            // manifest.
            if isAltered { manifest.forgetSums() }
            return (manifest, isAltered)
        } catch let error as FileSystemError where error.code == .tooLarge {
            throw DocumentError(
                .malformed, "the manifest is damaged: more than \(JSONCoding.maximumSize) bytes", path: manifestPath)
        }
    }

    package func mimetype() throws -> [UInt8] { try folder.read(PackageLayout.mimetype, limit: 1024) }

    /// The names of the models in the package.
    package func modelNames() throws -> [String] {
        (try entries(of: PackageLayout.models) ?? []).compactMap { entry in
            guard entry.kind == .directory, entry.name.hasSuffix(".xcdatamodel") else { return nil }
            return String(entry.name.dropLast(".xcdatamodel".count))
        }
    }

    /// The bytes of a model's `contents`.
    package func model(_ name: String) throws -> [UInt8] {
        try folder.read("\(PackageLayout.models)/\(name).xcdatamodel/contents", limit: Self.largestModel)
    }

    static let largestModel = 64 << 20

    /// Checks the store's files before SQLite opens them, because they may have been prepared to
    /// make SQLite write elsewhere. The main file must be a regular file with one hard link, in a
    /// real folder that contains nothing else but its -wal and -shm files.
    /// - Parameter hasMainFile: Whether the store's main file must exist, which is not the case for
    ///   an archive.
    func checkStore(hasMainFile: Bool = true) throws {
        let files = try known.storeFiles ?? checkedStoreFiles()
        known.storeFiles = files
        guard hasMainFile else { return }
        guard let size = files[FilePath.name(PackageLayout.store)]?.size else {
            throw DocumentError(.malformed, "the document has no store", path: FilePath.join(path, PackageLayout.store))
        }
        guard size > 0 else {
            throw DocumentError(
                .malformed, "the document's store is empty", path: FilePath.join(path, PackageLayout.store))
        }
    }

    /// Throws if a part is a symbolic link, because writing to it would change files outside of the
    /// document.
    private func checkParts() throws {
        for entry in try entries() ?? [] {
            guard let expected = Self.expectedKind(of: entry.name), entry.kind != expected else { continue }
            let reason =
                entry.kind == .symbolicLink
                ? "is a link, which a document has none of"
                : expected == .file ? "is not a plain file" : "is not a folder"
            throw DocumentError(.malformed, "“\(entry.name)” \(reason)", path: FilePath.join(path, entry.name))
        }
    }

    /// The required kind of an item in a package; nil for unknown names.
    private static func expectedKind(of name: String) -> FileKind? {
        switch name {
        case PackageLayout.mimetype, PackageLayout.manifest: .file
        case PackageLayout.storeFolder: .directory
        default: PackageLayout.folders.contains(name) ? .directory : nil
        }
    }

    /// Whether `checkStore` refuses an item in a package because of its kind.
    static func checksKind(of entry: DirectoryEntry) -> Bool {
        expectedKind(of: entry.name).map { $0 != entry.kind } ?? false
    }

    private func checkedStoreFiles() throws -> [String: FileStatus] {
        try checkParts()
        guard try kind(of: PackageLayout.storeFolder) != nil else {
            throw DocumentError(.malformed, "the document has no store", path: FilePath.join(path, PackageLayout.store))
        }
        let store = try open(PackageLayout.storeFolder)
        let main = FilePath.name(PackageLayout.store)
        var files: [String: FileStatus] = [:]
        for name in try (known.parts[PackageLayout.storeFolder] ?? nil)?.map(\.name) ?? store.names() {
            func refusal(_ reason: String) -> DocumentError {
                DocumentError(.malformed, reason, path: FilePath.join(store.path, name))
            }
            guard name.hasPrefix(main), ["", "-wal", "-shm"].contains(name.dropFirst(main.count)) else {
                throw refusal("“\(name)” has no place beside the store")
            }
            guard let status = try store.status(of: name) else { continue }
            guard status.kind == .file else { throw refusal("not a plain file") }
            guard status.linkCount <= 1 else { throw refusal("has another name (hard link)") }
            files[name] = status
        }
        return files
    }

    /// Whether the store has a WAL that is not empty. Call after `checkStore`.
    package var hasWAL: Bool { (known.storeFiles?[FilePath.name(PackageLayout.store) + "-wal"]?.size ?? 0) > 0 }
}

extension PackageReader {
    /// The model in the package with these version hashes, and its name; nil if there is none.
    /// - Throws: The error of a model that can't be read, if no other model matches.
    /// - Parameter likely: The name of the model that is tried first.
    package func model(fitting hashes: [String: Data], likely: String? = nil) throws -> (
        name: String, model: ManagedObjectModel
    )? {
        if let likely, let bytes = try? model(likely), let model = try? ModelContents.decode(Data(bytes)),
            model.isCompatible(withVersionHashes: hashes)
        {
            return (likely, model)
        }
        var failure: (any Error)?
        for name in try modelNames() {
            do {
                let model = try ModelContents.decode(
                    Data(self.model(name)), path: "\(path)/\(PackageLayout.models)/\(name).xcdatamodel/contents")
                if model.isCompatible(withVersionHashes: hashes) { return (name, model) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }
}
