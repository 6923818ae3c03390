internal import FileSystem

/// The names within a package, folder or archive.
package enum PackageLayout {
    package static let mimetype = "mimetype"
    package static let manifest = "manifest.json"
    package static let models = "model"
    static let storeFolder = "store"
    package static let store = "store/store.sqlite"
    /// In an archive: sums of the store's pages, see `PageSums`.
    static let storeSums = "store/store.sums"
    package static let content = "content"
    package static let versions = "versions"
    package static let extra = "extra"
    package static let preview = "preview"
    /// Versions that could not be read, with something unique behind it.
    static let damagedVersions = "versions.damaged"
    /// Autosaved work that a revert put aside; gone with the next save.
    static let discarded = "versions/discarded.wal"
    /// WALs that lay beside the store and were not its own, each with something unique before the
    /// ending.
    static let foreignWAL = "versions/foreign-"
    /// In a working set: values of the archive that somebody wanted as files.
    package static let scratch = "scratch"
    /// In a working set: what the archive has and the next save takes away, see `RemovedParts`.
    package static let removed = "removed"
    /// In a working set: the store of another version of the model, while it is made.
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

    /// Whether an entry may stand in an archive: parts of the layout, and nothing that a store
    /// keeps beside itself while it is open.
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

    /// What a package may have beside its media type, manifest and store.
    static let folders: Set<String> = [models, content, preview, versions, extra]

    /// Whether a part is a WAL that was put aside, which goes nowhere with the document.
    static func isSetAside(_ name: String) -> Bool { name == discarded || name.hasPrefix(foreignWAL) }

    static func isVersion(_ name: String) -> Bool { name.hasPrefix(versions + "/") }

    /// Names of journals, locks and half-made files.
    package static func isTransient(_ name: Substring) -> Bool {
        ["-journal", "-wal", "-shm", ".lock"].contains { name.hasSuffix($0) } || name.hasPrefix(".")
            || name.hasSuffix("~")
    }

    /// Whether a name can be that of a folder under `model/`.
    package static func isModelName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 200
            && !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 32 || $0.value == 127 }
    }
}

extension FileProtection {
    /// The protection of a document in any form: that of a package is the folder's and its store's.
    static func ofDocument(_ path: String) throws -> FileProtection {
        let protection = try FileProtection(of: path)
        guard try Disk.kind(of: path) == .directory else { return protection }
        // A package has the one, a managed document the other.
        return try [PackageLayout.store, PackageLayout.managedStore].reduce(protection) {
            try $0.restricted(by: FileProtection(of: FilePath.join(path, $1)))
        }
    }
}
