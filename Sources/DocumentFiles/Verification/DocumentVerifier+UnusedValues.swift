internal import FileSystem
public import Foundation
internal import SQLiteStore

extension DocumentVerifier {
    /// The files of large values in a document to which neither its store nor a version refers, by
    /// their names. They are no damage: the next save that may remove them does.
    ///
    ///     for name in try DocumentVerifier.unusedValues(of: url) { print(name) }
    ///
    /// Empty while an editor has the document open or has left unsaved work, since that may refer
    /// to any of them, and for a store whose model is not known. Reads all references in the store.
    ///
    /// - Throws: `DocumentError` if the document can't be read.
    public static func unusedValues(of url: URL) throws -> [String] { try unusedValues(of: url, fitting: .own) }

    package static func unusedValues(of url: URL, fitting model: ModelChoice) throws -> [String] {
        let document = try DetectedDocument(url.path)
        guard DocumentLock.holder(of: document.path) == nil else { return [] }
        return try DocumentError.stage(.reading, document.path) {
            let session = try DocumentSession.read(document.path, model: model)
            defer { try? session.close() }
            guard !session.hasAutosavedWork else { return [] }
            guard let content = session.content else { return try unusedValues(beside: session) }
            if let package = session.package, try Disk.exists(FilePath.join(package, PackageLayout.discarded)) {
                return []
            }
            let all = try content.names()
            guard !all.isEmpty, let needed = try session.neededValues(includingVersions: true) else { return [] }
            return all.subtracting(needed).map(\.uuidString).sorted()
        }
    }

    /// The unused values beside a bare store.
    private static func unusedValues(beside session: DocumentSession) throws -> [String] {
        guard let store = session.sqliteStore else { return [] }
        let folder = FilePath.parent(ExternalValues.besideStore(at: session.storePath).path("x"))
        guard try Disk.kind(of: folder) == .directory else { return [] }
        guard let others = try ExternalValues.namesOfOthers(sharing: session.storePath) else { return [] }
        let used = try store.externalValueNames().union(others)
        return try Disk.list(folder).filter { $0.kind == .file && !used.contains($0.name) }.map(\.name).sorted()
    }
}
