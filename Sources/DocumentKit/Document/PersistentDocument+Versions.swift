public import DocumentFiles
public import Foundation
public import ObjectGraph

extension PersistentDocument {
    /// The number of saves of the document. The last saved state can be opened by this number after
    /// later saves. Nil for a bare store.
    ///
    /// ```swift
    /// try await document.save()
    /// print("DOC@\(document.generation ?? 0) is the saved state")
    /// ```
    /// Autosaves don't count.
    public var generation: Int? { state.marker?.userSave.generation }

    /// The earlier saved states of the document, the oldest first, without the current one. Empty
    /// for a bare store. An archive has the versions that were packed into it, and keeps more only
    /// if it has any.
    ///
    /// ```swift
    /// for version in try document.versions() { print(version.generation, version.saved, version.bytes) }
    /// ```
    /// A package keeps the state before every save, as the difference to the next one. Older
    /// versions are thinned out: all of the last hour are kept, one an hour for a day, one a day
    /// for a month, and one a week after that. Pinned versions are always kept.
    ///
    /// - Throws: `DocumentError`: `malformed` if the list of versions is damaged, which does not
    ///   affect the document itself.
    public func versions() throws -> [DocumentVersion] { try operations.versions.list() }

    /// Opens an earlier version for reading. Nothing is written to the document or beside it.
    ///
    /// ```swift
    /// let old = try await PersistentDocument.open(url, version: 3)
    /// try await old.write(to: copy)
    /// ```
    /// - Parameter generation: The ``DocumentVersion/generation`` of the version.
    /// - Throws: `DocumentError`: `notFound` if there is no such version, `malformed` if it can't
    ///   be restored exactly; the errors of `open`.
    ///
    /// The store is read once and written to a temporary folder, which is deleted when the document
    /// is closed.
    public static func open(_ url: URL, version generation: Int, classes: [String: ManagedObject.Type] = [:])
        async throws -> Self
    {
        try await DocumentOpening.open(
            url, as: Self.self, mode: .reading, state: .version(generation), classes: classes, fitting: .own)
    }

    /// Makes an earlier version the saved state of the document, as a new generation. Objects are
    /// preserved and have the values of that version at their next use; objects that it does not
    /// contain are deleted.
    ///
    /// ```swift
    /// if let version = try document.versions().last { try await document.revert(to: version) }
    /// ```
    /// The current state, including unsaved changes, is kept as a version first, so that this can
    /// be reverted in the same way; it need not be valid. The operation is atomic, except that
    /// unsaved work may have become a version after a failure or a crash. If the files can't be
    /// opened again after they were replaced, the document is closed (``isOpen``). The store is
    /// read and written once.
    ///
    /// - Throws: `DocumentError`: `notFound` if the version no longer exists, `malformed` if it
    ///   can't be restored exactly, `modelMismatch` if it has another version of the model (use
    ///   ``restore(_:to:)`` with the document closed), `changed` if the document was moved or
    ///   replaced.
    public func revert(to version: DocumentVersion) async throws {
        try await opened.exclusively { try await operations.versions.revert(to: version) }
    }

    /// Makes an earlier version the saved state of a document that is not open, also if it has
    /// another version of the model. The operation is atomic.
    ///
    /// - Parameter generation: The ``DocumentVersion/generation`` of the version.
    /// - Throws: `DocumentError`: `notFound`, `malformed`, `locked`, and `recoverable` if a former
    ///   editor left work that was never saved.
    @concurrent
    public static func restore(_ url: URL, to generation: Int) async throws {
        _ = try VersionRestorer.restore(url.path, to: generation)
    }

    /// Excludes a version from thinning and from pruning by ``VersionRetention``, or includes it
    /// again. The change is atomic and durable.
    ///
    /// ```swift
    /// if let version = try document.versions().last { try document.setPinned(true, version) }
    /// ```
    /// The list of versions is written.
    ///
    /// - Throws: `DocumentError`: `notFound` if the version no longer exists, `unsupported` for a
    ///   bare store and an archive, `usage` if the document is open for reading only.
    public func setPinned(_ isPinned: Bool, _ version: DocumentVersion) throws {
        try operations.versions.edit { try $0.setPinned(isPinned, version.number) }
    }

    /// Sets the name of a version; nil removes it. Names are cut to 200 characters. The change is
    /// atomic and durable.
    ///
    /// A named version may still be thinned out; use ``setPinned(_:_:)`` to keep it. Names need not
    /// be unique. The list of versions is written.
    ///
    /// - Throws: `DocumentError`: `notFound` if the version no longer exists, `unsupported` for a
    ///   bare store and an archive, `usage` if the document is open for reading only.
    public func setName(_ name: String?, of version: DocumentVersion) throws {
        try operations.versions.edit { try $0.setName(name, version.number) }
    }

    /// Removes versions, including pinned ones: all of them or none.
    ///
    /// The removed versions and their neighbors are read.
    ///
    /// - Throws: `DocumentError`: `notFound` if a version does not exist, `usage` if a version is
    ///   the last save, which ``revert()`` needs.
    public func removeVersions(_ versions: [DocumentVersion]) throws { try operations.versions.remove(versions) }

    /// The files that were found in the document and quarantined: WAL files that do not belong to
    /// its store (see ``quarantinedWAL``), and versions that could not be read. They are never
    /// used and never removed automatically.
    public func quarantinedFiles() throws -> [URL] {
        try operations.versions.quarantined().map { URL(fileURLWithPath: $0) }
    }

    /// Deletes the quarantined files.
    ///
    /// - Throws: `DocumentError`.
    public func removeQuarantinedFiles() throws { try operations.versions.removeQuarantined() }
}

extension PersistentDocument {
    /// Throws the errors with which a change of the document's versions is refused, also for a
    /// document that is open for reading.
    package func checkChangingVersions() throws { try operations.versions.checkEditing() }
}
