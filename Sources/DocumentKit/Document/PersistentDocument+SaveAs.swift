public import DocumentFiles
public import Foundation

extension PersistentDocument {
    /// Exports: writes the document as it is now, unsaved changes included, to another place, in
    /// the same or another form. This document stays where and as it is.
    ///
    /// ```swift
    /// try await document.write(to: url, form: .archive)
    /// ```
    /// The new document is one of its own: its store has a new UUID, objects keep their entities
    /// and numbers. A store that is copied into a package or archive is written afresh, row by row;
    /// between the other forms its pages are copied. Written off the caller, who may go on editing.
    /// - Parameters:
    ///   - form: Nil for the form of this document.
    ///   - replacing: Whether a document that is there already is replaced, in one step.
    ///   - includingVersions: Whether the earlier versions go along, what is saved now as one of
    ///     them. They show text that was deleted since. Not into a store by itself.
    ///   - includingHistory: Whether the persistent history of the store goes along, where its
    ///     pages are copied.
    ///   - progress: Told how far it has come; cancelling it, or the task, leaves nothing behind
    ///     and throws `CancellationError`.
    /// - Throws: `ValidationError` if the changes can't be saved; `DocumentError`: `cannotCreate`,
    ///   `locked`, `io`…
    public func write(
        to url: URL, form: DocumentForm? = nil, replacing: Bool = false, includingVersions: Bool = false,
        includingHistory: Bool = true, progress: Progress?
    ) async throws {
        try await opened.exclusively {
            var target = try copier.target(url, form, replaces: replacing)
            if includingVersions, target.form.bareStoreType != nil {
                throw DocumentError(.usage, "a store by itself keeps no versions", path: url.path, stage: .writing)
            }
            target.includesVersions = includingVersions
            target.includesHistory = includingHistory
            try await WorkProgress.with(progress) { try await copier.write(to: target, validates: true) }
        }
    }

    /// Exports without telling how far it has come:
    /// ``write(to:form:replacing:includingVersions:includingHistory:progress:)``.
    public func write(
        to url: URL, form: DocumentForm? = nil, replacing: Bool = false, includingVersions: Bool = false,
        includingHistory: Bool = true
    ) async throws {
        try await write(
            to: url, form: form, replacing: replacing, includingVersions: includingVersions,
            includingHistory: includingHistory, progress: nil)
    }

    /// Writes the document to another place as `write(to:form:replacing:)` does, and goes on as the
    /// document there. The old one stays as it was last saved; one that never had a name is gone.
    ///
    /// ```swift
    /// try await document.save(as: url)
    /// ```
    /// Objects stay the same; their IDs are those of the new store, with the same entities and
    /// numbers. Undo goes on as well.
    public func save(as url: URL, form: DocumentForm? = nil, replacing: Bool = false, progress: Progress?) async throws
    {
        try await opened.exclusively {
            try await WorkProgress.with(progress) { try await copier.save(as: url, form, replaces: replacing) }
        }
    }

    /// Goes on at another place without telling how far it has come:
    /// ``save(as:form:replacing:progress:)``.
    public func save(as url: URL, form: DocumentForm? = nil, replacing: Bool = false) async throws {
        try await save(as: url, form: form, replacing: replacing, progress: nil)
    }
}
