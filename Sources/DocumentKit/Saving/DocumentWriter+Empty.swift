internal import DocumentFiles
internal import Foundation
internal import Schema

extension DocumentWriter {
    /// Writes a new document without objects.
    /// - Returns: The lock of the document, acquired.
    @concurrent
    static func writeEmpty(
        _ url: URL, _ model: ManagedObjectModel, _ form: DocumentForm, _ modelName: String?, replaces: Bool
    ) async throws -> DocumentLock {
        let name = modelName ?? PackageBuilder.name(for: model)
        guard PackageLayout.isModelName(name) else {
            throw DocumentError(.usage, "“\(name)” can't be the name of a model's version", path: url.path)
        }
        let writer = DocumentWriter(
            target: LinkResolution.resolve(url.path), form: form, replaces: replaces, model: model, modelName: name)
        return try writer.writeHoldingLock(.nothing).lock
    }
}
