internal import DocumentFiles

/// Creates the types that implement the operations of a document, one per operation.
struct DocumentOperations {
    let document: PersistentDocument

    private var opened: OpenDocument { document.opened }

    private var hooks: DocumentHooks {
        let document = document
        return DocumentHooks(
            validate: { try document.validate() }, capturedParts: { try capturedParts() },
            resolveConflict: {
                guard let resolution = await document.conflictResolution() else { return nil }
                return try await resolver.resolve(resolution)
            },
            outsideChangeHandler: { document.outsideChangeHandler?($0) })
    }

    private func capturedParts() throws -> CapturedParts {
        // An error of a preview does not fail the save.
        let previews = (try? document.preview()) ?? []
        let merges = try opened.mergeParts()
        return try CapturedParts(
            extra: document.extraContent() + merges.extra, previews: previews,
            description: .init(title: document.title, keywords: document.keywords), metadata: merges.metadata)
    }

    var outside: OutsideChanges { OutsideChanges(document: opened, hooks: hooks) }
    var saver: DocumentSaver {
        DocumentSaver(
            document: opened, outside: outside, hooks: hooks, autosavedBytesLimit: document.autosavedBytesLimit)
    }
    var copier: DocumentCopier { DocumentCopier(document: opened, hooks: hooks) }
    var closer: DocumentCloser { DocumentCloser(document: opened, saver: saver) }
    var mover: DocumentMover { DocumentMover(document: opened, outside: outside) }
    var versions: DocumentVersions { DocumentVersions(document: opened, saver: saver) }
    var resolver: ConflictResolver {
        ConflictResolver(document: opened, outside: outside, saver: saver, copier: copier)
    }
}
