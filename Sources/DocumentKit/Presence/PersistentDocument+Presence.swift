internal import DocumentFiles
internal import Foundation
internal import FileSystem
internal import ObjectGraph
internal import Storage

extension PersistentDocument {
    /// Looks whether another program has moved, replaced or deleted the document, and does what is right: a document that was moved is followed; one that was replaced
    /// while nothing was unsaved here is read again; else it is a conflict, which ``resolveConflict(_:)`` settles. Nothing is ever overwritten.
    ///
    /// Called by itself after ``startBackgroundTasks(_:isolation:)``; else call it when the document comes to the front. Costs a few looks at names.
    /// - Returns: What happened, nil for nothing new. ``outsideChangeHandler`` is told too.
    @discardableResult
    public func checkForOutsideChanges() async -> OutsideChange? {
        let change = await opened.exclusively { await lookOutside() }
        if let change { outsideChangeHandler?(change) }
        return change
    }

    func lookOutside() async -> OutsideChange? {
        guard isOpen else { return nil }
        let finding: DocumentTrace.Finding
        do {
            finding = try await opened.performInBackground { try $0.trace?.look() ?? .same }
        } catch {
            // What can't be looked at now, in a folder that is not mounted, is looked at again with the next save.
            return nil
        }
        guard isOpen else { return nil }
        let before = outsideChange
        switch finding {
        case .same:
            opened.outsideChange = nil
            return nil
        case .moved(let place): return follow(to: place)
        case .deleted:
            opened.outsideChange = .deleted
        case .replaced where hasUnsavedChanges && state.isEditing:
            opened.outsideChange = .conflict
            if before != .conflict, let resolution = await conflictResolution() {
                do {
                    return .resolved(try await resolveNow(resolution))
                } catch let unmerged as UnmergedEdits {
                    var kept = unmerged.kept
                    kept.failure = unmerged.documentError(opened.path)
                    return .resolved(kept)
                } catch {
                    // Where it can't be settled in this way the conflict stays, to be settled in another.
                }
            }
        case .replaced: return reload()
        }
        return outsideChange == before ? nil : outsideChange
    }

    private func follow(to place: String) -> OutsideChange? {
        settling(.moved(to: URL(fileURLWithPath: place))) {
            try opened.performInline { session in
                session = try session.following(to: place)
                session.renewTrace()
            }
        }
    }

    /// Reads the document again that stands at its place now.
    func reload() -> OutsideChange? {
        settling(.reloaded) {
            try opened.performInline { session in
                // Its files are another document's now, or gone: what is left of it is the lock.
                session = try session.reloaded()
                session.renewTrace()
            }
            opened.giveUpEdits()
            opened.showReadState()
        }
    }

    private func settling(_ change: OutsideChange, _ body: () throws -> Void) -> OutsideChange? {
        do {
            try body()
            opened.outsideChange = nil
            opened.background?.watch(state.trace)
            return change
        } catch {
            let error = DocumentError.translated(error, .opening, opened.path) as? DocumentError
            let failure = OutsideChange.unreadable(error ?? DocumentError(.io, "what is there now can't be opened", path: opened.path, stage: .opening))
            guard isOpen, outsideChange != failure else { return isOpen ? nil : failure }
            opened.outsideChange = failure
            return failure
        }
    }

    /// A name beside the document that is free: `Name (conflict).folio`, `Name (conflict 2).folio`…
    func freeURL(tag: String) throws -> URL {
        let url = URL(fileURLWithPath: state.path)
        let stem = url.deletingPathExtension().lastPathComponent, ending = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
        for number in 1... {
            let name = "\(stem) (\(tag)\(number == 1 ? "" : " \(number)"))\(ending)"
            let candidate = url.deletingLastPathComponent().appendingPathComponent(name)
            if try !Disk.exists(candidate.path) { return candidate }
        }
        preconditionFailure("Numbers don't end")
    }
}
