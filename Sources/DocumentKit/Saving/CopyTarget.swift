internal import DocumentFiles
internal import Storage

/// The location, form and options of a copy of a document.
struct CopyTarget: Sendable {
    let path: String
    let form: DocumentForm
    let replaces: Bool
    let includesVersions: Bool
    let includesHistory: Bool
    var isUnchecked = false
    var pending: MetadataValue?
    var denied: MetadataValue?

    /// A writer for the copy, with the model as recorded in the store of `session`.
    func writer(_ session: DocumentSession, _ parts: CapturedParts) throws -> DocumentWriter {
        var writer = DocumentWriter(
            target: path, form: form, replaces: replaces, model: try session.modelOfCopy(),
            modelName: session.manifest?.model.name ?? PackageBuilder.name(for: session.model),
            includesVersions: includesVersions)
        writer.includesHistory = includesHistory
        writer.parts = parts
        writer.isUnchecked = isUnchecked
        writer.pending = pending
        writer.denied = denied
        return writer
    }
}
