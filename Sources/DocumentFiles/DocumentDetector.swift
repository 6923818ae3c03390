internal import ArchiveKit
internal import AtomicStores
internal import FileSystem
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
package import Storage

/// Determines the kind of document at a path.
package struct DetectedDocument: Sendable, Hashable {
    package let kind: DocumentKind
    /// The path of the document, with symbolic links resolved.
    package let path: String
    /// The type of the store of a bare store or managed document. Packages and archives always
    /// contain SQLite stores.
    package let storeType: StoreType

    /// The path of the store of a bare store, a managed document or a package; nil for an archive.
    package var storePath: String? { kind == .archive ? nil : Self.storePath(kind, path) }

    /// The path of a document's store. For an archive, `path` is the unpacked package.
    package static func storePath(_ kind: DocumentKind, _ path: String) -> String {
        switch kind {
        case .package, .archive: FilePath.join(path, PackageLayout.store)
        case .store: path
        case .managedDocument: FilePath.join(path, PackageLayout.managedStore)
        }
    }

    /// - Throws: `DocumentError`: `.notFound`; `.malformed`, with a description of what was found
    ///   instead; `.unsupported` for a store of another type.
    package init(_ path: String) throws {
        let path = LinkResolution.resolve(path)
        self.path = path
        (kind, storeType) = try DocumentError.stage(.opening, path) {
            switch try Disk.kind(of: path) {
            case nil: throw DocumentError(.notFound, "there is no such document")
            case .directory: (try Self.kind(ofFolder: path), .sqlite)
            case .file: try Self.kind(ofFile: path)
            case .symbolicLink: throw DocumentError(.notFound, "a link that leads nowhere")
            case .other: throw DocumentError(.malformed, "neither a file nor a folder")
            }
        }
    }

    /// - Throws: `DocumentError` with code `malformed` for a sound database that is no store: there
    ///   is nothing to verify or to repair.
    func refuseForeignDatabase() throws {
        guard kind == .store, storeType == .sqlite, let message = SQLiteStoreFile(path).foreignDatabase() else {
            return
        }
        throw DocumentError(
            .malformed, message, path: path, stage: .opening,
            underlying: StorageError(.notAStore, message, path: path))
    }

    /// Whether a path leads to a sound SQLite database that is no store. A link within a package is
    /// not followed.
    package static func isForeignDatabase(_ path: String) -> Bool {
        guard !leadsOut(path), let document = try? DetectedDocument(path), document.kind == .store,
            document.storeType == .sqlite
        else {
            return false
        }
        return SQLiteStoreFile(document.path).foreignDatabase() != nil
    }

    /// The package that `reader` reads; nil if the folder is not a package.
    package init?(_ reader: PackageReader) throws {
        guard try reader.kind(of: PackageLayout.manifest) != nil else { return nil }
        (kind, path, storeType) = (.package, reader.path, .sqlite)
    }

    /// Whether a path contains a symbolic link below the package that contains it. Such a path is
    /// not part of the package.
    package static func leadsOut(_ path: String) -> Bool {
        var hasLink = false, item = path
        for _ in 0..<deepestPart {
            hasLink = hasLink || (try? Disk.kind(of: item)) == .symbolicLink
            item = FilePath.parent(item)
            if (try? Disk.exists(FilePath.join(item, PackageLayout.manifest))) == true { return hasLink }
        }
        return false
    }

    private static let deepestPart = 12

    /// The document that a file or folder is, or is a part of, even if it is damaged; nil if there
    /// is none.
    package static func document(around path: String) -> String? {
        guard !leadsOut(path) else { return nil }
        var item = path
        for _ in 0..<deepestPart {
            if (try? Disk.exists(FilePath.join(item, PackageLayout.manifest))) == true { return item }
            item = FilePath.parent(item)
        }
        if (try? DetectedDocument(path)) != nil { return path }
        // A store that is cut off is none that can be opened.
        guard let start = try? DatabaseStart(path, count: DatabaseHeader.magic.count).bytes, !start.isEmpty,
            DatabaseHeader.magic.starts(with: start)
        else { return nil }
        return path
    }

    private static func kind(ofFolder path: String) throws -> DocumentKind {
        let folder = try Directory(path)
        if try folder.status(of: PackageLayout.manifest) != nil { return .package }
        if try folder.status(of: PackageLayout.mimetype) != nil {
            throw DocumentError(.malformed, "a document folder without \(PackageLayout.manifest)")
        }
        if let content = try? folder.directory("StoreContent"), try content.status(of: "persistentStore") != nil {
            return .managedDocument
        }
        throw DocumentError(.malformed, "a folder without \(PackageLayout.manifest), not a document")
    }

    private static func kind(ofFile path: String) throws -> (DocumentKind, StoreType) {
        let file = try DatabaseStart(path, count: 4096)
        let start = file.bytes, size = file.size
        if ZipDirectory.begins(start) { return (.archive, .sqlite) }
        if DatabaseHeader.begins(start) {
            try checkHeader(start, size: size, hasWAL: Disk.exists(path + "-wal"))
            return (.store, .sqlite)
        }
        if AtomicPersistentStore.isBinaryStore(start) { return (.store, .binary) }
        if AtomicPersistentStore.isXMLStore(start) { return (.store, .xml) }
        if start.isEmpty { throw DocumentError(.malformed, "an empty file, not a document") }
        if start.starts(with: DatabaseHeader.magic.prefix(start.count)) {
            throw DocumentError(.malformed, "a truncated store of \(size) bytes")
        }
        if start.starts(with: Array("bplist00".utf8)) {
            throw DocumentError(
                .unsupported,
                "a binary property list, perhaps a binary store of Core Data: only its own framework reads these")
        }
        let text = String(validating: start.prefix(start.count == 4096 ? 4090 : 4096), as: UTF8.self)
        throw DocumentError(
            .malformed, text == nil ? "not a document: unknown binary data" : "a text file, not a document")
    }

    /// Compares the page count in the database header with the size of the file.
    private static func checkHeader(_ start: [UInt8], size: Int64, hasWAL: Bool) throws {
        guard start.count >= DatabaseHeader.size else {
            throw DocumentError(.malformed, "a truncated store of \(size) bytes")
        }
        let header = DatabaseHeader(start)
        guard header.hasValidPageSize else {
            throw DocumentError(.malformed, "a damaged store: its pages have no valid size")
        }
        // The page count is valid only if the last writer maintained it. With a WAL, missing pages
        // may be in there.
        guard header.isConsistent, !hasWAL else { return }
        let expected = Int64(header.pageCount) * Int64(header.pageSize)
        guard size >= expected else {
            throw DocumentError(.malformed, "a truncated store: \(size) of \(expected) bytes")
        }
    }
}
