internal import FileSystem
public import Foundation
public import Schema

/// Saves the readable content of a damaged document into a new one.
///
///     let report = try await DocumentRepairer.repair(damaged, to: saved)
///     for finding in report.lost { print(finding) }
public enum DocumentRepairer {
    /// Writes a new document with everything that can be read of a damaged one, which is not
    /// changed.
    ///
    /// An archive is searched for entries even if its directory is damaged; tables are read except
    /// for damaged pages, and rows except for damaged cells; dangling references are removed; the
    /// manifest is regenerated. The new document has a new UUID and the form of the old one.
    /// Earlier versions are not copied, because they depend on the exact bytes of the old store.
    ///
    /// Everything is read once and written twice. Memory is needed in proportion to the number of
    /// objects, about 50 bytes for each.
    ///
    /// - Parameters:
    ///   - replacing: Whether an existing document is replaced, atomically.
    ///   - model: The model of a store that contains no readable one.
    /// - Returns: A report of the saved and the lost content.
    /// - Throws: `DocumentError`: `malformed` if nothing can be saved, `modelMismatch` if there is
    ///   no model, `locked` while the document is being edited, `cannotCreate` and others. Nothing
    ///   is written then.
    @concurrent
    public static func repair(
        _ url: URL, to target: URL, replacing: Bool = false, model: ManagedObjectModel? = nil
    ) async throws -> RepairReport {
        try repair(
            url, to: target, replacing: replacing, isDryRun: false, fitting: ModelChoice(model))
    }

    /// Repairs a document. With `isDryRun`, everything is done except for writing the new document.
    /// - Parameter placing: Runs the last step, which writes the new document to its location. All
    ///   earlier steps write only to a temporary folder.
    package static func repair(
        _ url: URL, to target: URL, replacing: Bool, isDryRun: Bool,
        fitting model: ModelChoice,
        placing: (_ step: () throws -> Void) throws -> Void = { try $0() }
    ) throws -> RepairReport {
        let path = LinkResolution.resolve(url.path), targetPath = LinkResolution.resolve(target.path)
        guard targetPath != path, !targetPath.hasPrefix(path + "/"), !path.hasPrefix(targetPath + "/") else {
            throw DocumentError(.usage, "the new document would lie in the old one, or in its place", path: targetPath)
        }
        let place = DocumentTarget(path: targetPath, replaces: replacing)
        try place.check()
        // What can't be recognized may be a damaged document.
        try (try? DetectedDocument(path))?.refuseForeignDatabase()
        let lock = try SourceLock.acquire(path)
        defer { lock?.release() }
        let scratch = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(scratch) }
        return try DocumentError.stage(.reading, path) {
            let source = try RepairSource(path, scratch: scratch)
            var work = RepairWork(source: source, model: model, scratch: scratch)
            let saved = try work.makePackage()
            if !isDryRun {
                let session = try DocumentSession.read(saved, model: .own)
                defer { try? session.close() }
                var writer = DocumentWriter(
                    target: targetPath, form: source.form, replaces: replacing, model: session.model,
                    modelName: work.modelName)
                writer.origin = path
                try placing { _ = try writer.write(.copy(session, nil)) }
            }
            return RepairReport(lost: work.lost, notes: work.notes, entities: work.counts, path: targetPath)
        }
    }
}
