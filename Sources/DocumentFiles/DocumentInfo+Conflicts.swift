internal import ArchiveKit
internal import Coding
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

extension DocumentInfo {
    /// Longer lists are not read to count what is in them.
    private static let conflictListLimit = 64 << 20

    /// How many conflicts of merges a document keeps to be decided. What can't be read counts as
    /// none: what is wrong with it is told by whoever asks for the list.
    static func conflictCount(_ kind: DocumentKind, _ path: String, _ archive: ArchiveFile?) -> Int {
        let name = FilePath.join(PackageLayout.extra, PackageLayout.conflicts)
        let bytes: [UInt8]?
        switch kind {
        case .package:
            // A commit that changed the list has it in the metadata, see `DocumentSession`.
            let store = SQLiteStoreFile(FilePath.join(path, PackageLayout.store))
            if case .data(let list)? = (try? store.modelInfo())?.metadata[DocumentSession.conflictListKey] {
                bytes = list.isEmpty ? nil : [UInt8](list)
            } else {
                bytes = try? Disk.read(FilePath.join(path, name), limit: conflictListLimit)
            }
        case .archive:
            let reader = archive?.reader
            bytes =
                reader?.directory[name] == nil ? nil : try? reader?.read(name, limit: conflictListLimit)
        case .store, .managedDocument: bytes = nil
        }
        return conflictCount(bytes)
    }

    /// The same of a document that is open.
    static func conflictCount(_ session: DocumentSession) -> Int {
        let list = (try? session.conflictList()) ?? nil
        return list.map { conflictCount([UInt8]($0)) } ?? 0
    }

    private static func conflictCount(_ bytes: [UInt8]?) -> Int {
        guard let bytes else { return 0 }
        return (try? JSONReader.value(of: bytes, greatestDepth: JSONCoding.maximumDepth))?["conflicts"]?.array?.count
            ?? 0
    }
}
