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

    /// Writes the backup.
    /// - Returns: The path of the copy, which is durable.
    package func make(label: String) throws -> String {
        let target = try freePath(label)
        do {
            switch session.kind {
            case .store:
                if let store = session.sqliteStore {
                    try store.copy(to: target)
                } else {
                    try Disk.copyFile(session.path, to: target)
                }
                let values = Self.valuesFolder(session.path)
                if try Disk.exists(values) {
                    try Disk.copyTree(values, to: Self.valuesFolder(target))
                    try Disk.synchronizeTree(Self.valuesFolder(target))
                }
            case .archive: try Disk.copyFile(session.path, to: target)
            case .package, .managedDocument:
                try Disk.copyTree(session.path, to: target)
                try Disk.synchronizeTree(target)
            }
            try Disk.synchronizeDirectory(FilePath.parent(target))
            return target
        } catch {
            try? Self.remove(target)
            throw error
        }
    }

    package static func remove(_ path: String) throws {
        for path in [path, valuesFolder(path)] where try Disk.exists(path) {
            if try Disk.status(of: path)?.kind == .directory {
                try Disk.removeTree(path)
            } else {
                try Disk.removeFile(path)
            }
        }
    }

    /// Whether a file name is that of a backup of a document.
    package static func isBackup(_ name: String, of document: String) -> Bool {
        let (stem, ending) = split(document)
        return name.hasPrefix(stem + ".before-") && name.hasSuffix(ending)
    }

    private func freePath(_ label: String) throws -> String {
        let (stem, ending) = Self.split(FilePath.name(session.path))
        let label = String(label.map { $0 == "/" ? "-" : $0 })
        var number = 1
        while true {
            let name = "\(stem).before-\(label)\(number == 1 ? "" : "-\(number)")\(ending)"
            let path = FilePath.join(FilePath.parent(session.path), name)
            if try !Disk.exists(path) { return path }
            number += 1
        }
    }

    private static func split(_ name: String) -> (String, String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    /// The folder in which Core Data stores the large values of a bare store.
    private static func valuesFolder(_ store: String) -> String {
        FilePath.join(FilePath.parent(store), ".\(split(FilePath.name(store)).0)_SUPPORT")
    }
}
