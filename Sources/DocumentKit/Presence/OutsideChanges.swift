internal import DocumentFiles
internal import FileSystem
internal import Foundation

/// Notices what other programs do to an open document, and follows it.
struct OutsideChanges {
    let document: OpenDocument
    let hooks: DocumentHooks

    /// Nothing is written to a place where another program has been, before it is settled what
    /// becomes of that.
    func check() async throws {
        if let change = await look() {
            hooks.outsideChangeHandler(change)
            // What was to be saved is not here any more.
            if case .resolved(let kept) = change, let failure = kept.failure { throw failure }
        }
        switch document.outsideChange {
        case nil, .moved, .reloaded, .resolved: return
        case .conflict:
            throw DocumentError(
                .changed, "the document was changed by another program", path: document.path, stage: .writing,
                hint: "resolve the conflict first")
        case .deleted:
            throw DocumentError(
                .changed, "the document was deleted", path: document.path, stage: .writing,
                hint: "save it as another document")
        case .unreadable(let error): throw error
        }
    }

    /// - Returns: What happened since the last look.
    func look() async -> OutsideChange? {
        guard document.isOpen else { return nil }
        let finding: DocumentTrace.Finding
        do {
            finding = try await document.performInBackground { try $0.trace?.look() ?? .same }
        } catch {
            // What can't be looked at now, in a folder that is not mounted, is looked at again with
            // the next save.
            return nil
        }
        guard document.isOpen else { return nil }
        let before = document.outsideChange
        switch finding {
        case .same:
            document.outsideChange = nil
            return nil
        case .moved(let place): return follow(to: place)
        case .deleted:
            document.outsideChange = .deleted
        case .replaced where document.hasUnsavedChanges && document.state.isEditing:
            document.outsideChange = .conflict
            if before != .conflict, let resolved = await resolveAtOnce() { return .resolved(resolved) }
        case .replaced: return reload()
        }
        return document.outsideChange == before ? nil : document.outsideChange
    }

    /// - Returns: Nil where the conflict stays, to be settled in another way.
    private func resolveAtOnce() async -> ResolvedConflict? {
        do {
            return try await hooks.resolveConflict()
        } catch let unmerged as UnmergedEdits {
            var kept = unmerged.kept
            kept.failure = unmerged.documentError(document.path)
            return kept
        } catch {
            return nil
        }
    }

    private func follow(to place: String) -> OutsideChange? {
        settling(.moved(to: URL(fileURLWithPath: place))) {
            try document.performInline { session in
                session = try session.following(to: place)
                session.renewTrace()
            }
        }
    }

    /// Reads the document again that stands at its place now, and gives up the edits here.
    func reload() -> OutsideChange? {
        settling(.reloaded) {
            try document.performInline { session in
                // Its files are another document's now, or gone: what is left of it is the lock.
                session = try session.reloaded()
                session.renewTrace()
            }
            document.giveUpEdits()
            document.showReadState()
        }
    }

    private func settling(_ change: OutsideChange, _ body: () throws -> Void) -> OutsideChange? {
        do {
            try body()
            document.outsideChange = nil
            document.background?.watch(document.state.trace)
            return change
        } catch {
            let error = DocumentError.translated(error, .opening, document.path) as? DocumentError
            let failure = OutsideChange.unreadable(
                error
                    ?? DocumentError(
                        .inputOutput, "what is there now can't be opened", path: document.path, stage: .opening))
            guard document.isOpen, document.outsideChange != failure else { return document.isOpen ? nil : failure }
            document.outsideChange = failure
            return failure
        }
    }
}

extension SessionState {
    /// A name beside the document that is free: `Name (conflict).folio`, `Name (conflict 2).folio`…
    func freeURL(tag: String) throws -> URL {
        let url = URL(fileURLWithPath: path)
        let stem = url.deletingPathExtension().lastPathComponent,
            ending = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
        for number in 1... {
            let name = "\(stem) (\(tag)\(number == 1 ? "" : " \(number)"))\(ending)"
            let candidate = url.deletingLastPathComponent().appendingPathComponent(name)
            if try !Disk.exists(candidate.path) { return candidate }
        }
        preconditionFailure("Numbers don't end")
    }
}
