internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

extension DocumentMigrator {
    /// Opens the document for reading as it would be after its migration, which is done on a copy in a temporary folder: nothing is written anywhere near the document.
    func view() throws -> DocumentSession {
        let session = try DocumentSession.read(path, model: sourceModel)
        do {
            return try DocumentError.stage(.opening, session.path) {
                let plan = try plan(session)
                guard plan.preview.isNeeded else { return session }
                try checkSpace(in: FileManager.default.temporaryDirectory.path, plan.preview)
                let builder = MigratedStoreBuilder(session, model, plan.way, policies: policies, progress: progress)
                return try session.replaced(byMigrated: model, hasOwnValues: builder.writesValues) { target in
                    let files = builder.writesValues ? ExternalValues.besideStore(at: target) : builder.files
                    try builder.makeStore(at: target, files: files)
                    if let marker = session.marker, builder.writesValues { try note(marker, in: target, files) }
                }
            }
        } catch {
            if session.isStoreOpen { try? session.close() }
            throw error
        }
    }
}
