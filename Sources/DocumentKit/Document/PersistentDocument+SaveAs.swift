public import DocumentFiles
public import Foundation

extension PersistentDocument {
    /// Exports the document with its unsaved changes to another location, in the same or another
    /// form. This document is unchanged.
    ///
    /// ```swift
    /// try await document.write(to: url, form: .archive)
    /// ```
    /// The result is a document of its own: its store has a new UUID, and objects keep their
    /// entities and primary keys. A store that is exported into a package or an archive is written
    /// row by row; between other forms its pages are copied. The export runs outside of the
    /// caller's isolation domain, which may continue to edit.
    ///
    /// - Parameters:
    ///   - form: The form of the new document; nil for the form of this one.
    ///   - replacing: Whether an existing document is replaced, atomically.
    ///   - includingVersions: Whether earlier versions are included, with the last save as one of
    ///     them. They may contain content that was deleted since. Not possible for a bare store.
    ///   - includingHistory: Whether the persistent history of the store is included, if its pages
    ///     are copied.
    ///   - progress: Receives the progress. Cancelling it, or the task, leaves no file and throws
    ///     `CancellationError`.
    /// - Throws: `ValidationError` if the changes are not valid; `DocumentError`: `cannotCreate`,
    ///   `locked`, `inputOutput` and others.
    public func write(
        to url: URL, form: DocumentForm? = nil, replacing: Bool = false, includingVersions: Bool = false,
        includingHistory: Bool = true, progress: Progress?
    ) async throws {
        try await opened.exclusively {
            let target = try operations.copier.target(
                url, form, replaces: replacing, includesVersions: includingVersions, includesHistory: includingHistory)
            try await WorkProgress.with(progress) { try await operations.copier.write(to: target, validates: true) }
        }
    }

    /// Exports the document without reporting progress; see
    /// ``write(to:form:replacing:includingVersions:includingHistory:progress:)``.
    public func write(
        to url: URL, form: DocumentForm? = nil, replacing: Bool = false, includingVersions: Bool = false,
        includingHistory: Bool = true
    ) async throws {
        try await write(
            to: url, form: form, replacing: replacing, includingVersions: includingVersions,
            includingHistory: includingHistory, progress: nil)
    }

    /// Saves the document at another location, and continues as the document there. The old
    /// document stays in its last saved state; an untitled one is deleted.
    ///
    /// ```swift
    /// try await document.save(as: url)
    /// ```
    /// Objects are preserved, and so is undo. The objects' IDs change to those of the new store,
    /// with the same entities and primary keys. Parameters and errors are those of
    /// ``write(to:form:replacing:includingVersions:includingHistory:progress:)``.
    public func save(as url: URL, form: DocumentForm? = nil, replacing: Bool = false, progress: Progress?) async throws
    {
        try await opened.exclusively {
            try await WorkProgress.with(progress) {
                try await operations.copier.save(as: url, form, replaces: replacing)
            }
        }
    }

    /// Saves the document at another location without reporting progress; see
    /// ``save(as:form:replacing:progress:)``.
    public func save(as url: URL, form: DocumentForm? = nil, replacing: Bool = false) async throws {
        try await save(as: url, form: form, replacing: replacing, progress: nil)
    }
}
