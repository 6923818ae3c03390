internal import DocumentFiles
internal import FileSystem
public import Foundation

/// A document that was opened recently.
public struct RecentDocument: Sendable, Hashable, Codable {
    /// The location of the document.
    public var url: URL
    /// The name of the document's type.
    public var type: String
    /// The time at which the document was last opened.
    public var opened: Date
}

/// The recent documents of an application, the last one first, in a small file in the user's state
/// folder.
struct RecentDocuments {
    let path: String
    var maximumCount = 20

    /// Creates the list of an application. If two instances write at the same time, one entry may
    /// be lost.
    init(application: String) { path = FilePath.join(StateFolder.recent, "\(application).json") }

    /// The list; empty if the file does not exist or can't be read.
    func list() -> [RecentDocument] {
        guard let bytes = try? Disk.read(path, limit: JSONCoding.maximumSize), JSONCoding.objection(to: bytes) == nil
        else { return [] }
        return (try? JSONCoding.decoder.decode([RecentDocument].self, from: Data(bytes))) ?? []
    }

    func note(_ url: URL, type: String, now: Date = .now) throws {
        var documents = list().filter { $0.url.path != url.path }
        documents.insert(RecentDocument(url: url, type: type, opened: now), at: 0)
        try write(Array(documents.prefix(maximumCount)))
    }

    func clear() throws { try Disk.removeFileIfPresent(path) }

    private func write(_ documents: [RecentDocument]) throws {
        try Disk.makeDirectories(FilePath.parent(path), mode: 0o700)
        try Disk.replaceFile(path, with: Array(JSONCoding.encoder.encode(documents)), mode: 0o600)
    }
}
