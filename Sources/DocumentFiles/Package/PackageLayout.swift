internal import FileSystem

/// The names of the parts of a package or an archive.
package enum PackageLayout {
    package static let mimetype = "mimetype"
    package static let manifest = "manifest.json"
    package static let models = "model"
    static let storeFolder = "store"
    package static let store = "store/store.sqlite"
    /// In an archive: the sums of the store's pages, see `PageSums`.
    static let storeSums = "store/store.sums"
    package static let content = "content"
    package static let versions = "versions"
    package static let extra = "extra"
    package static let preview = "preview"
    /// Beneath `extra`, since programs that don't know it carry it along there: what merges left to
    /// be decided.
    package static let conflicts = "folio-merge/conflicts.json"
    /// In an archive: the earlier states that are kept for merges with its copies.
    static let mergeStates = "extra/folio-merge/states"
    /// The prefix of folders with versions that could not be read; a unique identifier follows.
    static let damagedVersions = "versions.damaged"
    /// Autosaved work that was set aside by a revert; removed by the next save.
    static let discarded = "versions/discarded.wal"
    /// The prefix of WALs that were found beside the store and do not belong to it; a unique
    /// identifier and the extension follow.
    static let foreignWAL = "versions/foreign-"
    /// In a working set: values of the archive that were extracted to files.
    package static let scratch = "scratch"
    /// In a working set: marks of files that the next save removes from the archive, see
    /// `RemovedParts`.
    package static let removed = "removed"
    /// In a working set: the migrated store while it is being written.
    package static let migrated = "migrated"
    static let managedStore = "StoreContent/persistentStore"

    static let packageType = "application/vnd.folio.document+package"
    package static let archiveType = "application/vnd.folio.document+zip"
    private static let typePrefix = "application/vnd.folio.document"

    /// Whether a media type is that of a Folio document.
    static func isDocumentType(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix(typePrefix) && (text.dropFirst(typePrefix.count).first.map { "+\n".contains($0) } ?? true)
    }

    /// Whether a media type is one that Folio writes.
    static func isOwnType(_ bytes: [UInt8]) -> Bool {
        [packageType, archiveType].contains { bytes.elementsEqual($0.utf8) || bytes.elementsEqual("\($0)\n".utf8) }
    }

    /// Whether an entry is allowed in an archive: the parts of the layout, without the auxiliary
    /// files of an open store.
    static func allowsInArchive(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: true)
        guard let first = parts.first else { return false }
        if parts.contains(where: { isTransient($0) }) || isSetAside(name) { return false }
        switch first {
        case "mimetype", "manifest.json": return parts.count == 1
        case "store": return name == "store/" || name == store || name == storeSums
        default: return folders.contains(String(first))
        }
    }

    /// The folders that a package may contain besides its media type, manifest and store.
    static let folders: Set<String> = [models, content, preview, versions, extra]

    /// Whether a part is a WAL that was set aside, which is not copied with the document.
    static func isSetAside(_ name: String) -> Bool { name == discarded || name.hasPrefix(foreignWAL) }

    static func isMergeState(_ name: String) -> Bool { name.hasPrefix(mergeStates + "/") }

    static func isVersion(_ name: String) -> Bool { name.hasPrefix(versions + "/") }

    private static let transientEndings = ["-journal", "-wal", "-shm", ".lock"].map { Array($0.utf8) }

    /// Whether a name is that of a journal, a lock or a temporary file.
    package static func isTransient(_ name: Substring) -> Bool {
        // Compared as bytes, because an archive may have very many names.
        let bytes = name.utf8
        if bytes.first == UInt8(ascii: ".") || bytes.last == UInt8(ascii: "~") { return true }
        return transientEndings.contains { bytes.count >= $0.count && bytes.suffix($0.count).elementsEqual($0) }
    }

    /// Throws if a package would lose parts in a folder, because its file system gives names back
    /// in other letters.
    static func checkPlace(_ folder: String) throws {
        guard try !NameKeeping.holds(in: folder) else { return }
        throw DocumentError(
            .unsupported,
            "the file system gives names back in other letters than they were written in: a package would lose parts",
            path: folder, hint: "keep it as an archive there, or as a package elsewhere")
    }

    /// Whether a name is valid for a folder under `model/`.
    package static func isModelName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 200
            && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 32 || $0.value == 127 }
    }
}

extension FileProtection {
    /// The protection of a document in any form. For a package it combines that of the folder and
    /// that of its store.
    static func ofDocument(_ path: String) throws -> FileProtection {
        let protection = try FileProtection(of: path)
        guard try Disk.kind(of: path) == .directory else { return protection }
        // A package contains the first of these files, a managed document the second.
        return try [PackageLayout.store, PackageLayout.managedStore].reduce(protection) {
            try $0.restricted(by: FileProtection(of: FilePath.join(path, $1)))
        }
    }

    /// The protection for a document that replaces the item at a path.
    func replacingDocument(_ path: String) throws -> FileProtection {
        try replacing(path, part: FilePath.join(path, PackageLayout.store))
    }
}
