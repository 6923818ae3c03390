import Folio
import Foundation

/// A document opened for reading: nothing of it changes, and nothing is left beside it.
struct DocumentReader {
    let path: String
    let store: any PersistentStore
    var model: ManagedObjectModel { store.identity.model }

    /// Opens the document at `path`, runs `body` and closes it.
    /// - Parameter modelText: what `--model` says.
    static func reading<Result>(
        _ path: String, model modelText: String?, _ console: Console, _ body: (DocumentReader) async throws -> Result
    ) async throws -> Result {
        let detected = try DetectedDocument(DocumentArgument.path(path))
        guard let storePath = detected.storePath else { throw CommandError.unavailable("archive") }
        let url = URL(fileURLWithPath: storePath)
        var description = PersistentStoreDescription(url: url)
        description.isReadOnly = true
        description.createsIfMissing = false
        let model = try modelText.map { try fittingModel($0, store: url) }
        let store = try SQLitePersistentStore.open(description, model: model)
        do {
            let result = try await body(DocumentReader(path: path, store: store))
            try store.close()
            return result
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Of the versions that `--model` may mean, the one that the store was written with.
    static func fittingModel(_ text: String, store: URL) throws -> ManagedObjectModel {
        let info = try SQLitePersistentStore.storedModelInfo(at: store)
        let reference = ModelReference(text)
        if let model = try reference.model(matching: info.versionHashes) { return model }
        let model = try reference.model()
        let different = try info.differences(from: model)
        // Hashes of derived attributes are not known; then the store's own model decides.
        if different.isEmpty { return model }
        throw CommandError(
            .modelMismatch, "modelMismatch",
            "the store was written with another model than \(text): " + different.joined(separator: ", ") + (different.count == 1 ? " differs" : " differ"),
            path: store.path, detail: CommandError.detail(entities: different))
    }
}
