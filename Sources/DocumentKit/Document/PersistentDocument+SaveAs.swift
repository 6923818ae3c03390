public import DocumentFiles
public import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

extension PersistentDocument {
    /// Exports: writes the document as it is now, unsaved changes included, to another place, in the same or another form. This document stays where and as it is.
    ///
    /// ```swift
    /// try await document.write(to: url, form: .archive)
    /// ```
    /// The new document is one of its own: its store has a new UUID, objects keep their entities and numbers. A store that is copied into a package or archive
    /// is written afresh, row by row; between the other forms its pages are copied. Written off the caller, who may go on editing.
    /// - Parameters:
    ///   - form: Nil for the form of this document.
    ///   - replacing: Whether a document that is there already is replaced, in one step.
    ///   - includingVersions: Whether the earlier versions go along, what is saved now as one of them. They show text that was deleted since. Not into a store by itself.
    ///   - includingHistory: Whether the persistent history of the store goes along, where its pages are copied.
    ///   - progress: Told how far it has come; cancelling it, or the task, leaves nothing behind and throws `CancellationError`.
    /// - Throws: `ValidationError` if the changes can't be saved; `DocumentError`: `cannotCreate`, `locked`, `io`…
    public func write(
        to url: URL, form: DocumentForm? = nil, replacing: Bool = false, includingVersions: Bool = false, includingHistory: Bool = true, progress: Progress?
    ) async throws {
        try await opened.exclusively {
            var target = try target(url, form, replacing)
            if includingVersions, target.form.bareStoreType != nil {
                throw DocumentError(.usage, "a store by itself keeps no versions", path: url.path, stage: .writing)
            }
            target.includesVersions = includingVersions
            target.includesHistory = includingHistory
            try await WorkProgress.with(progress) { try await writeNow(to: target, validates: true) }
        }
    }

    /// Exports without telling how far it has come: ``write(to:form:replacing:includingVersions:includingHistory:progress:)``.
    public func write(
        to url: URL, form: DocumentForm? = nil, replacing: Bool = false, includingVersions: Bool = false, includingHistory: Bool = true
    ) async throws {
        try await write(
            to: url, form: form, replacing: replacing, includingVersions: includingVersions, includingHistory: includingHistory, progress: nil)
    }

    /// Writes a copy to a place where nothing is, valid or not. Nil for the form of this document.
    func writeCopy(to url: URL, form: DocumentForm? = nil) async throws { try await writeNow(to: target(url, form, false), validates: false) }

    private func writeNow(to target: Target, validates: Bool) async throws {
        let parts = try capturedParts()
        var target = target
        let denied = validates || !state.isEditing ? [] : try opened.edits.deniedDeletions + context.deniedDeletions()
        var next = try prepareForWriting(validates: validates)
        target.isUnchecked = !validates
        if !validates { target.denied = denied.metadata }
        while true {
            do {
                let changes = next?.changes
                try await opened.performInBackground { [target] session in _ = try target.writer(session, parts).write(.copy(session, changes)) }
                break
            } catch {
                // Values that have to be unique and that two objects have are noted beside the tables, as by an autosave.
                guard let failed = next, !validates, target.form.bareStoreType == nil, !(error is CancellationError) else {
                    throw next.map { context.failSave($0, error) } ?? error
                }
                let again = try context.prepareAutosave(again: failed, after: error)
                next = again.save
                target.pending = again.left.metadata
            }
        }
        // Nothing was saved here: the changes go on being changes.
        if let next { _ = context.failSave(next, CancellationError()) }
    }

    /// Writes the document to another place as `write(to:form:replacing:)` does, and goes on as the document there. The old one stays as it was last saved; one that never
    /// had a name is gone.
    ///
    /// ```swift
    /// try await document.save(as: url)
    /// ```
    /// Objects stay the same; their IDs are those of the new store, with the same entities and numbers. Undo goes on as well.
    public func save(as url: URL, form: DocumentForm? = nil, replacing: Bool = false, progress: Progress?) async throws {
        try await opened.exclusively {
            try await WorkProgress.with(progress) { try await saveNow(as: url, form, replacing) }
        }
    }

    /// Goes on at another place without telling how far it has come: ``save(as:form:replacing:progress:)``.
    public func save(as url: URL, form: DocumentForm? = nil, replacing: Bool = false) async throws {
        try await save(as: url, form: form, replacing: replacing, progress: nil)
    }

    /// Opens a document that has just been written under its lock.
    private static func openingWritten<Result>(_ path: String, _ open: () throws -> Result) throws -> Result {
        do { return try open() } catch let error as DocumentError {
            throw error.ofWritten(path, hint: "the document that was saved stays open; open this one again later")
        }
    }

    private func saveNow(as url: URL, _ form: DocumentForm?, _ replacing: Bool) async throws {
        let oldPath = try opened.openedState().path, wasUntitled = isUntitled
        try validate()
        let parts = try capturedParts()
        let prepared = try prepareForWriting(validates: true)
        let save = opened.edits.beginSave(at: context.editPosition)
        let receipt: SaveReceipt
        do {
            let target = try target(url, form, replacing)
            let changes = prepared?.changes
            let written = try await opened.performInBackground { session in
                let writer = try target.writer(session, parts)
                let (receipt, lock) = try writer.writeHoldingLock(.copy(session, changes))
                // Nobody else may come between the writing and the opening.
                let new = try Self.openingWritten(writer.target) { [model = session.model] in
                    try SessionKeeper.opened(writer.target, session.isEditing ? .editing : .reading, recovery: .refuse, lock: lock) { _ in model }
                }
                return (receipt: receipt, keeper: new.keeper, state: new.state)
            }
            receipt = written.receipt
            let old = opened.goOn(with: (written.keeper, written.state))
            if let prepared { context.completeSave(prepared, receipt) }
            // The new document stands; what hinders the old one's closing leaves its autosaved work to be recovered.
            _ = await old?.performInBackground { try $0.closeLeft() }
        } catch {
            opened.edits.didFail(save)
            throw prepared.map { context.failSave($0, error) } ?? error
        }
        if wasUntitled { try? UntitledDocuments.remove(oldPath) }
        opened.edits.didSave(save)
        opened.outsideChange = nil
        // Rows that were written afresh have other versions.
        context.refreshAllObjects()
        opened.endRecoveryAttempt()
        opened.didMove()
    }

    /// Where and how a document is to be written.
    private struct Target: Sendable {
        let path: String
        let form: DocumentForm
        let replaces: Bool
        var includesVersions = false
        var includesHistory = true
        var isUnchecked = false
        var pending: MetadataValue?
        var denied: MetadataValue?

        func writer(_ session: DocumentSession, _ parts: CapturedParts) throws -> DocumentWriter {
            var writer = DocumentWriter(
                target: path, form: form, replaces: replaces, model: try session.modelOfCopy(),
                modelName: session.manifest?.model.name ?? PackageBuilder.name(for: session.model), includesVersions: includesVersions)
            writer.includesHistory = includesHistory
            writer.parts = parts
            writer.isUnchecked = isUnchecked
            writer.pending = pending
            writer.denied = denied
            return writer
        }
    }

    private func target(_ url: URL, _ form: DocumentForm?, _ replacing: Bool) throws -> Target {
        let path = LinkResolution.resolve(url.path)
        guard path != (try opened.openedState().path) else {
            throw DocumentError(.usage, "a document can't be written over itself: save it", path: path, stage: .writing)
        }
        return Target(path: path, form: form ?? self.form, replaces: replacing)
    }

    /// The changes that are to be in the new document, as values.
    private func prepareForWriting(validates: Bool) throws -> PreparedSave? {
        if state.isEditing, validates { try opened.validateUncheckedObjects() }
        return try context.prepareSave(validates: validates, reservesKeys: state.isEditing)
    }

    /// The form in which the document is kept.
    var form: DocumentForm {
        switch kind {
        case .package: .package
        case .archive: .archive
        case .store, .managedDocument:
            switch state.store.description.type {
            case .binary: .binaryStore
            case .xml: .xmlStore
            default: .store
            }
        }
    }
}

extension DocumentSession {
    /// The model with the version identifiers that the store records: models of old tools don't say them, and a copy has what the original has.
    fileprivate func modelOfCopy() throws -> ManagedObjectModel {
        guard case .array(let recorded) = try store.metadata()["NSStoreModelVersionIdentifiers"] else { return model }
        let identifiers = recorded.compactMap { if case .string(let identifier) = $0 { identifier } else { nil } }
        guard identifiers != model.description.versionIdentifiers else { return model }
        var description = model.description
        description.versionIdentifiers = identifiers
        return try ManagedObjectModel(description)
    }

    /// Ends the session of a document that goes on elsewhere: this one stays as it was last saved.
    fileprivate func closeLeft() throws {
        guard isEditing else { return try close() }
        if let finding = try? trace?.look(), finding != .same { return try closeLeavingPlace() }
        guard hasAutosavedWork else { return try close() }
        defer { unlock() }
        try closeDiscardingAutosavedWork()
        try workingSet?.remove()
    }
}
