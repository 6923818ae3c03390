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
                    let values = ExternalValues.folder(beside: session.path)
                    if try Disk.exists(values) {
                        try Disk.copyTree(values, to: ExternalValues.folder(beside: target))
                        try Disk.synchronizeTree(ExternalValues.folder(beside: target))
                    }
                } else {
                    // Its values are in its file.
                    try Disk.copyFile(session.path, to: target)
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
        try Disk.removeTree(path)
        try ExternalValues.removeFiles(ofStoreAt: path)
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
            // The folder of large values may be that of another backup with another extension.
            if try !Disk.exists(path), try !Disk.exists(ExternalValues.folder(beside: path)) { return path }
            number += 1
        }
    }

    private static func split(_ name: String) -> (String, String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }
}
