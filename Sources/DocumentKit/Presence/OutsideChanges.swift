internal import DocumentFiles
internal import FileSystem
internal import Foundation

/// Detects changes by other programs to an open document, and reacts to them.
struct OutsideChanges {
    let document: OpenDocument
    let hooks: DocumentHooks

    /// Checks for changes before a write. Throws if a change is not resolved, so that the other
    /// program's state is never overwritten.
    func check() async throws {
        if let change = await look() {
            hooks.outsideChangeHandler(change)
            // The edits to save are no longer in the document.
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

    /// Checks for changes by other programs.
    /// - Returns: The change since the last check; nil if there is none.
    func look() async -> OutsideChange? {
        guard document.isOpen else { return nil }
        let finding: DocumentTrace.Finding
        do {
            finding = try await document.performInBackground { try $0.trace?.look() ?? .same }
        } catch {
            // The path can't be read now, for example because a file system is not mounted. The
            // next save checks again.
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

    /// - Returns: Nil if the conflict is still unresolved.
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

    /// Reads the document that is now at the path, and discards the edits here.
    func reload() -> OutsideChange? {
        settling(.reloaded) {
            try document.performInline { session in
                // The old session's files belong to another document now or are deleted. Only its
                // lock is still valid.
                let keys = session.givenKeys(), uuid = session.uuid
                session = try session.reloaded()
                if session.uuid == uuid { try session.hold(keys) }
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
    /// An unused name beside the document: `Name (conflict).folio`, `Name (conflict 2).folio`…
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
