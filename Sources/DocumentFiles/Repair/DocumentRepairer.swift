internal import FileSystem
public import Foundation
public import Schema

/// Saves what can be read of a damaged document into a new one.
///
///     let report = try await DocumentRepairer.repair(damaged, to: saved)
///     for finding in report.lost { print(finding) }
public enum DocumentRepairer {
    /// Writes a new document with everything that can be read of another, which stays as it is.
    ///
    /// The archive is searched for entries, whatever became of its directory; tables are read
    /// around broken pages and rows around broken cells; references that lead to nothing are taken
    /// away; the manifest is made anew. The new document has a UUID of its own and the form of the
    /// old one; earlier versions, which lead from the old one's very bytes, stay behind.
    /// - Parameters:
    ///   - replacing: Whether a document that is there already is replaced, in one step.
    ///   - model: The model of a store that carries none that can be read.
    /// - Returns: what was saved and what was not.
    /// - Throws: `DocumentError`: `malformed` where nothing can be saved, `modelMismatch` where no
    ///   model is found, `locked` while somebody edits the document, `cannotCreate`…; nothing is
    ///   written then.
    ///
    /// Costs reading everything once and writing it twice; memory in proportion to the number of
    /// objects, some 50 bytes for each.
    @concurrent
    public static func repair(
        _ url: URL, to target: URL, replacing: Bool = false, model: ManagedObjectModel? = nil
    ) async throws -> RepairReport {
        try repair(
            url, to: target, replacing: replacing, isDryRun: false, fitting: ModelChoice(model))
    }

    /// With `isDryRun`, everything but the writing of the new document.
    /// - Parameter placing: Runs the last step, which writes the new document to its place. What
    ///   comes before it writes into a temporary folder only.
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
