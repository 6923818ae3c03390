internal import DocumentFiles

/// Creates the types that implement the document's operations, one per operation.
extension PersistentDocument {
    private var hooks: DocumentHooks {
        DocumentHooks(
            validate: { try self.validate() }, capturedParts: { try self.capturedParts() },
            resolveConflict: {
                guard let resolution = await self.conflictResolution() else { return nil }
                return try await self.resolver.resolve(resolution)
            },
            outsideChangeHandler: { self.outsideChangeHandler?($0) })
    }

    private func capturedParts() throws -> CapturedParts {
        // An error of a preview does not fail the save.
        let previews = (try? preview()) ?? []
        let merges = try opened.mergeParts()
        return try CapturedParts(
            extra: extraContent() + merges.extra, previews: previews,
            description: .init(title: title, keywords: keywords), metadata: merges.metadata)
    }

    var outside: OutsideChanges { OutsideChanges(document: opened, hooks: hooks) }
    var saver: DocumentSaver {
        DocumentSaver(document: opened, outside: outside, hooks: hooks, autosavedBytesLimit: autosavedBytesLimit)
    }
    var copier: DocumentCopier { DocumentCopier(document: opened, hooks: hooks) }
    var closer: DocumentCloser { DocumentCloser(document: opened, saver: saver) }
    var mover: DocumentMover { DocumentMover(document: opened, outside: outside) }
    var earlierStates: DocumentVersions { DocumentVersions(document: opened, saver: saver) }
    var resolver: ConflictResolver {
        ConflictResolver(document: opened, outside: outside, saver: saver, copier: copier)
    }
}
