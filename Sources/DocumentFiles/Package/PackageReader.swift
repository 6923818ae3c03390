package import FileSystem
package import Foundation
internal import ModelFiles
package import Schema

/// The parts of a package folder, read beneath one open descriptor without following any link.
///
/// Each folder in it is listed once, and what was found counts until `forget`: a reader lives no
/// longer than one piece of work, under the document's lock where something may change.
package struct PackageReader {
    package let path: String
    private let folder: Directory
    private let known = Known()

    /// What was looked at already.
    private final class Known {
        var parts: [String: [DirectoryEntry]?] = [:]
        /// The folder of the store, once it was opened.
        var store: Directory?
        /// What is beside the store, by name; nil where that was not checked.
        var storeFiles: [String: FileStatus]?
    }

    package init(_ path: String) throws {
        self.path = path
        folder = try Directory(path)
    }

    /// Holds on to the package that is read, whatever comes to its place.
    var anchor: PathAnchor { PathAnchor(folder) }

    /// What is directly in a folder of the package, and in the package itself for nil; nil where
    /// there is no such folder.
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

    /// A folder of the package; that of the store stays open, since its files are looked at after
    /// their names.
    private func open(_ part: String) throws -> Directory {
        guard part == PackageLayout.storeFolder else { return try folder.directory(part) }
        if let store = known.store { return store }
        let store = try folder.directory(part)
        known.store = store
        return store
    }

    /// What a name in the package stands for; nil where it has none of this name.
    package func kind(of name: String) throws -> FileKind? { try entries()?.first { $0.name == name }?.kind }

    /// How many folders are in a folder of the package, as far as its own count of names says so;
    /// nil for no folder, and where the file system does not count.
    func folderCount(in part: String) throws -> Int? {
        guard let status = try folder.status(of: part), status.kind == .directory, status.linkCount >= 2 else {
            return nil
        }
        return status.linkCount - 2
    }

    /// The folders in which nothing but Folio's own files may lie.
    private static let ownFolders = [PackageLayout.storeFolder, PackageLayout.models]

    /// Looks again the next time: something was added or taken away.
    package func forget() {
        known.parts = [:]
        known.store = nil
        known.storeFiles = nil
    }

    /// The manifest; where its checksum says that it is not what was written, without all that
    /// would go on into the next one.
    package func manifest() throws -> DocumentManifest {
        var (manifest, isAltered) = try checkedManifest()
        if isAltered { manifest.forgetCounts() }
        return manifest
    }

    /// The manifest, and whether its checksum says that it is not what was written; then it comes
    /// without the sums of the store, the model and the application's files.
    func checkedManifest() throws -> (manifest: DocumentManifest, isAltered: Bool) {
        let manifestPath = FilePath.join(path, PackageLayout.manifest)
        do {
            let bytes = try folder.read(PackageLayout.manifest, limit: JSONCoding.maximumSize)
            var manifest = try DocumentManifest.decode(bytes, path: manifestPath)
            let isAltered = DocumentManifest.isAltered(bytes, manifest)
            // Sums that may have been altered say nothing of the store and the model, and must not
            // go into the next manifest.
            if isAltered { manifest.forgetSums() }
            return (manifest, isAltered)
        } catch let error as FileSystemError where error.code == .tooLarge {
            throw DocumentError(
                .malformed, "the manifest is damaged: more than \(JSONCoding.maximumSize) bytes", path: manifestPath)
        }
    }

    package func mimetype() throws -> [UInt8] { try folder.read(PackageLayout.mimetype, limit: 1024) }

    /// The names of the models that the package carries.
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

    /// Makes sure that SQLite meets nothing planted when it opens the store: a plain file with one
    /// name in a plain folder, and beside it nothing but its own WAL.
    /// - Parameter hasMainFile: Whether the store's main file must be there, which that of an
    ///   archive is not.
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

    /// Makes sure that no part is reached by a link: what is written to it would land outside the
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

    /// What a part that is directly in a package has to be; nil for names that no document has.
    private static func expectedKind(of name: String) -> FileKind? {
        switch name {
        case PackageLayout.mimetype, PackageLayout.manifest: .file
        case PackageLayout.storeFolder: .directory
        default: PackageLayout.folders.contains(name) ? .directory : nil
        }
    }

    /// Whether `checkStore` refuses what is directly in a package for what it is.
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

    /// Whether a WAL lies beside the store that has something in it; after `checkStore`.
    package var hasWAL: Bool { (known.storeFiles?[FilePath.name(PackageLayout.store) + "-wal"]?.size ?? 0) > 0 }
}

extension PackageReader {
    /// The model under `model/` whose version hashes are these, with its name; nil where none fits.
    /// - Throws: where none fits and one can't be read, which may be the one.
    /// - Parameter likely: The name of the one that it most likely is.
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
