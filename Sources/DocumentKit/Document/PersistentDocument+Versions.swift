public import DocumentFiles
public import Foundation
public import ObjectGraph

extension PersistentDocument {
    /// How often the document was saved, up to its last save: the number by which that state is
    /// opened when later saves have followed it. Nil for a store by itself.
    ///
    /// ```swift
    /// try await document.save()
    /// print("DOC@\(document.generation ?? 0) is what was saved just now")
    /// ```
    /// Autosaved work does not count. Costs nothing.
    public var generation: Int? { state.marker?.userSave.generation }

    /// The earlier saved states that the document keeps, oldest first; what is saved now is not
    /// among them. Empty for a store by itself, which keeps none; an archive has those that were
    /// packed with it, and keeps more only if it has some.
    ///
    /// ```swift
    /// for version in try document.versions() { print(version.generation, version.saved, version.bytes) }
    /// ```
    /// A package keeps the state before every save, as the bytes by which it differs from the next
    /// one. With age they are thinned out: all of an hour stay, then one an hour for a day, one a
    /// day for a month, one a week after that; pinned ones stay in any case.
    /// - Throws: `DocumentError`: `malformed` where the list of versions is damaged, which the
    ///   document itself does not suffer from.
    public func versions() throws -> [DocumentVersion] { try earlierStates.list() }

    /// Opens an earlier version for reading: nothing is written, neither to the document nor beside
    /// it.
    ///
    /// ```swift
    /// let old = try await PersistentDocument.open(url, version: 3)
    /// try await old.write(to: copy)
    /// ```
    /// - Parameter generation: The number of saves before it (`DocumentVersion.generation`).
    /// - Throws: `DocumentError`: `notFound` where there is no such version, `malformed` where it
    ///   can't be had byte by byte, and as `open`.
    ///
    /// Costs reading the store, and writing it to a temporary folder that is gone when the document
    /// is closed.
    public static func open(_ url: URL, version generation: Int, classes: [String: ManagedObject.Type] = [:])
        async throws -> Self
    {
        try await open(url, mode: .reading, state: .version(generation), classes: classes, fitting: .own)
    }

    /// Makes an earlier version the document's saved state again, as the newest generation. Objects
    /// stay and show the values of that version at their next use; those that it did not have are
    /// deleted.
    ///
    /// ```swift
    /// if let version = try document.versions().last { try await document.revert(to: version) }
    /// ```
    /// What the document holds now is kept first, unsaved work included (it need not be valid), so
    /// that this can be taken back in the same way. All of it or nothing: after a failure or a
    /// crash the document is as it was, but that unsaved work may have become a saved version. It
    /// is closed (`isOpen`) where its files can't be opened again after they were exchanged. Costs
    /// reading and writing the store once.
    /// - Throws: `DocumentError`: `notFound` where there is no such version any more, `malformed`
    ///   where it can't be had byte by byte, `modelMismatch` where it is of another version of the
    ///   model (``restore(_:to:)`` does that while the document is closed), `changed` where the
    ///   document was moved or replaced.
    public func revert(to version: DocumentVersion) async throws {
        try await opened.exclusively { try await earlierStates.revert(to: version) }
    }

    /// Makes an earlier version of a document that nobody has open its saved state again, whatever
    /// version of the model it is of. As ``revert(to:)``, all of it or nothing.
    /// - Parameter generation: The number of saves before that version
    ///   (`DocumentVersion.generation`).
    /// - Throws: `DocumentError`: `notFound`, `malformed`, `locked`, and `recoverable` where an
    ///   editor that is gone left work that was never saved.
    @concurrent
    public static func restore(_ url: URL, to generation: Int) async throws {
        try DocumentSession.restore(url.path, to: generation)
    }

    /// Keeps a version from being thinned out, and from ``VersionRetention``, or gives it free
    /// again. Durable when it returns; all or nothing.
    ///
    /// ```swift
    /// if let version = try document.versions().last { try document.setPinned(true, version) }
    /// ```
    /// Costs writing the list of versions.
    /// - Throws: `DocumentError`: `notFound` where there is no such version any more, `unsupported`
    ///   for a store by itself and an archive, `usage` where the document is open for reading only.
    public func setPinned(_ isPinned: Bool, _ version: DocumentVersion) throws {
        try earlierStates.edit { try $0.setPinned(isPinned, version.number) }
    }

    /// Calls a version by a name, of which the first 200 characters count; nil takes the name away.
    /// Durable when it returns; all or nothing.
    ///
    /// A name does not keep a version from being thinned out (``setPinned(_:_:)`` does), and
    /// several may have the same. Costs writing the list of versions.
    /// - Throws: `DocumentError`: `notFound` where there is no such version any more, `unsupported`
    ///   for a store by itself and an archive, `usage` where the document is open for reading only.
    public func setName(_ name: String?, of version: DocumentVersion) throws {
        try earlierStates.edit { try $0.setName(name, version.number) }
    }

    /// Removes versions, pinned or not: all of them or none. The others stay as they are.
    ///
    /// Costs what the removed versions and those next to them take on the disk.
    /// - Throws: `DocumentError`, `notFound` where one is not there; `usage` where one is the last
    ///   save, to which unsaved work goes back.
    public func removeVersions(_ versions: [DocumentVersion]) throws { try earlierStates.remove(versions) }

    /// What was found in the document and put aside, never to be applied: journals that were not
    /// its store's own (see ``quarantinedJournal``), and earlier versions that could not be read.
    /// Nothing removes them by itself.
    public func quarantinedFiles() throws -> [URL] { try earlierStates.quarantined().map { URL(fileURLWithPath: $0) } }

    /// Removes what was put aside, for good.
    /// - Throws: `DocumentError`.
    public func removeQuarantinedFiles() throws { try earlierStates.removeQuarantined() }
}
