internal import DocumentFiles
internal import Storage

/// A side of a merge, as far as single saves of it are read.
struct MergingDocument {
    /// The states before and after a save.
    struct Save {
        let before: any StoreBackend
        let after: any StoreBackend
    }

    let path: String
    /// The document as it is.
    let store: any StoreBackend
    let states: [KnownState]
    let opener: MergeStateOpener

    /// Opens the two states of a save, or of the current state with what is not saved yet. Does
    /// nothing if the document does not keep both, or if one of them can't be read in this model.
    /// - Parameter generation: That of the save.
    func withSave(_ generation: Int, _ body: (Save) throws -> Void) throws {
        guard let before = try open(generation - 1) else { return }
        defer { before.close() }
        guard let after = try open(generation) else { return }
        defer { after.close() }
        try body(Save(before: before.store, after: after.store))
    }

    private struct Opened {
        let store: any StoreBackend
        var session: DocumentSession?

        func close() { try? session?.close() }
    }

    private func open(_ generation: Int) throws -> Opened? {
        if states.contains(where: { $0.isCurrent && $0.firstGeneration == generation }) {
            return Opened(store: store)
        }
        guard states.contains(where: { $0.generation == generation }) else { return nil }
        do {
            let session = try opener.open(path, .base(generation))
            return Opened(store: session.store, session: session)
        } catch let error as DocumentError where error.isOfUnreadableState {
            return nil
        }
    }
}

extension DocumentError {
    /// Whether a state of a document is missing, damaged, or in a model that can't be migrated.
    var isOfUnreadableState: Bool { [.notFound, .malformed, .modelMismatch].contains(code) }
}
