internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

/// Writes a document, including unsaved edits, to another location.
struct DocumentCopier {
    let document: OpenDocument
    let hooks: DocumentHooks

    /// - Parameter form: The form of the copy; nil for the form of the document.
    /// - Throws: `DocumentError` with code `usage` if `url` is the document's own location, and for
    ///   versions in a bare store.
    func target(
        _ url: URL, _ form: DocumentForm?, replaces: Bool, includesVersions: Bool = false, includesHistory: Bool = true
    ) throws -> CopyTarget {
        let path = LinkResolution.resolve(url.path)
        guard path != (try document.openedState().path) else {
            throw DocumentError(.usage, "a document can't be written over itself: save it", path: path, stage: .writing)
        }
        let target = CopyTarget(
            path: path, form: form ?? document.state.form, replaces: replaces, includesVersions: includesVersions,
            includesHistory: includesHistory)
        if includesVersions, target.form.bareStoreType != nil {
            throw DocumentError(.usage, "a store by itself keeps no versions", path: url.path, stage: .writing)
        }
        return target
    }

    /// Writes a copy, valid or not, to a location where nothing exists.
    func writeCopy(to url: URL, form: DocumentForm? = nil) async throws {
        try await write(to: target(url, form, replaces: false), validates: false)
    }

    func write(to target: CopyTarget, validates: Bool) async throws {
        let parts = try hooks.capturedParts()
        var target = target
        target.isUnchecked = !validates
        if !validates, document.state.isEditing {
            target.denied = try (document.edits.deniedDeletions + context.saving.deniedDeletions()).metadata
        }
        var next = try prepare(validates: validates)
        while true {
            do {
                var changes = next?.changes
                if !parts.metadata.isEmpty, target.form.bareStoreType == nil {
                    changes = changes ?? ChangeSet()
                    changes?.metadata.merge(parts.metadata) { $1 }
                }
                try await document.performInBackground { [target, changes] session in
                    _ = try target.writer(session, parts).write(.copy(session, changes))
                }
                break
            } catch {
                // Two objects have the same value of a unique property. The copy records these
                // values separately, as an autosave does.
                guard let failed = next, !validates, target.form.bareStoreType == nil, !(error is CancellationError)
                else {
                    throw next.map { context.saving.fail($0, error) } ?? error
                }
                let again = try context.deferral.prepareAutosave(again: failed, after: error)
                next = again.save
                target.pending = again.left.metadata
            }
        }
        // The document itself was not saved, so its changes stay unsaved.
        if let next { _ = context.saving.fail(next, CancellationError()) }
    }

    /// Writes the document to another location and continues there, with the same objects.
    func save(as url: URL, _ form: DocumentForm?, replaces: Bool) async throws {
        let oldPath = try document.openedState().path, wasUntitled = document.isUntitled
        try hooks.validate()
        let parts = try hooks.capturedParts()
        let prepared = try prepare(validates: true)
        let save = document.edits.beginSave(at: context.edits.position)
        do {
            let written = try await write(prepared?.changes, parts, to: target(url, form, replaces: replaces))
            let old = document.goOn(with: written.session)
            if let prepared { context.saving.complete(prepared, written.receipt) }
            // The new document is complete. If closing the old one fails, its autosaved work
            // remains and can be recovered.
            _ = await old?.performInBackground { try $0.closeAfterSaveAs() }
        } catch {
            document.edits.didFail(save)
            throw prepared.map { context.saving.fail($0, error) } ?? error
        }
        if wasUntitled { try? UntitledDocuments.remove(oldPath) }
        document.outsideChange = nil
        document.edits.didSave(save)
        // Rows in the new store have new versions.
        context.refreshAllObjects()
        document.endRecoveryAttempt()
        document.didMove()
    }

    private var context: ManagedObjectContext { document.context }

    /// Captures the changes for the new document as values.
    private func prepare(validates: Bool) throws -> PreparedSave? {
        if document.state.isEditing, validates { try document.validateUncheckedObjects() }
        return try context.saving.prepare(validates: validates, reservesKeys: document.state.isEditing)
    }

    /// Writes a document and opens it. The lock is held in between, so that no other process can
    /// open it first.
    private func write(
        _ changes: ChangeSet?, _ parts: CapturedParts, to target: CopyTarget
    ) async throws -> (receipt: SaveReceipt, session: SessionKeeper.Opened) {
        let written = try await document.performInBackground { session in
            let writer = try target.writer(session, parts)
            let (receipt, lock) = try writer.writeHoldingLock(.copy(session, changes))
            do {
                let new = try SessionKeeper.opened(
                    writer.target, isEditing: session.isEditing, lock: lock, model: .model(session.model))
                return (receipt: receipt, keeper: new.keeper, state: new.state)
            } catch let error as DocumentError {
                throw error.ofWritten(
                    writer.target, hint: "the document that was saved stays open; open this one again later")
            }
        }
        return (written.receipt, (written.keeper, written.state))
    }
}

extension SessionState {
    /// The form in which the document is kept.
    var form: DocumentForm { DocumentForm(kind, store.description.type) }
}
