internal import DocumentFiles
public import Foundation

/// Copies of documents that synchronizing programs leave where two machines have changed one.
public enum ConflictCopies {
    /// The copies beside a document: files or packages whose name begins with that of the document,
    /// with the same extension and the same UUID, by name. What can't be read is no copy.
    ///
    /// ```swift
    /// for copy in try ConflictCopies.copies(of: document.url) { try await document.merge(copy) }
    /// ```
    /// Names such as `Notes (conflicted copy 2024-05-01).folio`, `Notes 2.folio` and
    /// `Notes.sync-conflict-….folio` are found. Lists the folder, and reads the manifest of each
    /// candidate.
    ///
    /// - Throws: `DocumentError` if the document can't be read.
    public static func copies(of url: URL) throws -> [URL] {
        let own = try DocumentInfo(of: url), path = own.path
        let file = URL(fileURLWithPath: path), folder = file.deletingLastPathComponent()
        let stem = file.deletingPathExtension().lastPathComponent
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return names.compactMap { name in
            let candidate = URL(fileURLWithPath: name, relativeTo: folder)
            guard name != file.lastPathComponent, name.hasPrefix(stem), !name.hasPrefix("."),
                candidate.pathExtension == file.pathExtension,
                (try? DocumentInfo(of: candidate))?.uuid == own.uuid
            else { return nil }
            return url.deletingLastPathComponent().appendingPathComponent(name)
        }
    }
}
