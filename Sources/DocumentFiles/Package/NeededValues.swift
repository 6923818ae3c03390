internal import FileSystem
internal import Foundation
internal import SQLiteStore

extension DocumentSession {
    /// The names of the large values to which the newest state refers and, on request, those to
    /// which only versions refer; nil if the latter are not known.
    func neededValues(includingVersions: Bool) throws -> Set<UUID>? {
        let used = try packageStore.contentNames()
        guard includingVersions else { return used }
        if let versions { return try versions.contentReferences().map(used.union) }
        guard place.archive?.carriesVersions == true else { return used }
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        return try archivedVersions(in: folder)?.contentReferences().map(used.union)
    }

    /// The same for a document that is not open. Nil as well if the store or the versions are
    /// damaged, so that what can be rescued is taken along.
    static func neededValues(of path: String, includingVersions: Bool) throws -> Set<UUID>? {
        do {
            let session = try DocumentSession.read(path, model: .own)
            defer { try? session.close() }
            return try session.neededValues(includingVersions: includingVersions)
        } catch {
            let found = DocumentError.translated(error, .reading, path) as? DocumentError
            guard found?.code == .malformed || found?.code == .modelMismatch else { throw error }
            return nil
        }
    }
}
