internal import FileSystem
internal import Foundation
internal import SQLiteStore

/// A backup of a document's state before a migration, beside the document:
/// `Name.before-<version>.<extension>`.
package struct DocumentBackup {
    private let session: DocumentSession

    package init(_ session: DocumentSession) {
        self.session = session
    }

    /// Writes the backup, unless one with the label has the same content already: a migration that
    /// was interrupted has made it. The backup gets its name when it is complete.
    /// - Returns: The path of the copy, which is durable, and whether it was made now.
    package func make(label: String) throws -> (path: String, isNew: Bool) {
        // A name by which copies that a crash has left are found.
        try Leftovers.completeReplacement(of: session.path)
        let temporary = Replacement(of: session.path).temporary
        do {
            switch session.kind {
            case .store:
                if let store = session.sqliteStore {
                    try store.copy(to: temporary)
                } else {
                    try Disk.copyFile(session.path, to: temporary)
                }
            case .archive: try Disk.copyFile(session.path, to: temporary)
            case .package, .managedDocument:
                try Disk.copyTree(session.path, to: temporary)
                try Disk.synchronizeTree(temporary)
            }
            let values = session.kind == .store ? ExternalValues.folder(beside: session.path) : nil
            let hasValues = try values.map { try Disk.exists($0) } ?? false
            for path in try paths(label) {
                guard try Disk.exists(path) else {
                    let copies = ExternalValues.folder(beside: path)
                    // The folder of large values may be that of another backup with another
                    // extension.
                    guard try ExternalValues.stores(sharingFolderOf: path).isEmpty else { continue }
                    if try Disk.exists(copies) { try Disk.removeTree(copies) }
                    if let values, hasValues {
                        try Disk.copyTree(values, to: copies)
                        try Disk.synchronizeTree(copies)
                    }
                    do {
                        try Disk.renameWithoutReplacing(temporary, to: path)
                        try Disk.synchronizeDirectory(FilePath.parent(path))
                    } catch {
                        try? Self.remove(path)
                        throw error
                    }
                    return (path, true)
                }
                if try Self.haveSameContent(temporary, path),
                    try !hasValues
                        || values.map({ try Self.haveSameContent($0, ExternalValues.folder(beside: path)) }) ?? true
                {
                    try Disk.removeTree(temporary)
                    return (path, false)
                }
            }
            throw DocumentError(.cannotCreate, "there are too many copies of the old state", path: session.path)
        } catch {
            try? Disk.removeTree(temporary)
            throw error
        }
    }

    /// Compares two files, or two folders with all that they contain.
    private static func haveSameContent(_ one: String, _ other: String) throws -> Bool {
        guard let first = try Disk.status(of: one), let second = try Disk.status(of: other), first.kind == second.kind
        else { return false }
        if first.kind == .directory {
            let names = try Disk.list(one).map(\.name).sorted()
            guard try Disk.list(other).map(\.name).sorted() == names else { return false }
            return try names.allSatisfy { try haveSameContent(FilePath.join(one, $0), FilePath.join(other, $0)) }
        }
        guard first.size == second.size else { return false }
        return FileManager.default.contentsEqual(atPath: one, andPath: other)
    }

    package static func remove(_ path: String) throws {
        try Disk.removeTree(path)
        try ExternalValues.removeFiles(ofStoreAt: path)
    }

    /// Whether a file name is that of a backup of a document.
    package static func isBackup(_ name: String, of document: String) -> Bool {
        let (stem, ending) = split(document)
        return name.hasPrefix(stem + ".before-") && name.hasSuffix(ending)
    }

    /// The names for a label, in the order in which they are taken.
    private func paths(_ label: String) throws -> [String] {
        let (stem, ending) = Self.split(FilePath.name(session.path))
        let label = String(label.map { $0 == "/" ? "-" : $0 })
        return (1...10_000).map { number in
            FilePath.join(
                FilePath.parent(session.path), "\(stem).before-\(label)\(number == 1 ? "" : "-\(number)")\(ending)")
        }
    }

    private static func split(_ name: String) -> (String, String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }
}
