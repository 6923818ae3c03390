internal import DocumentFiles
public import Foundation

extension PersistentDocument {
    /// Writes a copy beside the document, unsaved changes included, and opens it. This document
    /// stays as it is.
    ///
    /// ```swift
    /// let copy = try await document.duplicate()      // Name (copy).folio
    /// ```
    /// - Parameter url: Where the copy is to be; nil for a free name beside this one.
    /// - Throws: What `write(to:)` and `open` throw.
    public func duplicate(to url: URL? = nil) async throws -> Self {
        let target = try url ?? opened.openedState().freeURL(tag: "copy")
        try await write(to: target)
        let copy = try await Self.open(target, mode: .editing, classes: opened.objectClasses, fitting: .model(model))
        copy.type = type
        duplicateHandler?(copy)
        return copy
    }

    /// Moves the document, versions and autosaved work included, to another place where nothing is,
    /// and goes on there. Objects, their IDs, undo and unsaved changes stay.
    ///
    /// Within a file system it is one renaming. Across, it is copied whole and taken away here once
    /// the copy is durable. The files in which a store by itself keeps large values beside it come
    /// along: they have both names until the store is at its new place.
    /// - Throws: `DocumentError`: `cannotCreate` where something is there, `locked`, `permission`,
    ///   `io`. Then it is where it was.
    public func move(to url: URL) async throws { try await opened.exclusively { try await mover.move(to: url) } }

    /// Gives the document another name in its folder. Its extension stays, unless `name` ends in it
    /// already, or in another one of the document's type or of Folio.
    ///
    ///     try await document.rename(to: "Letters 1.2")      // Letters 1.2.folio
    /// - Throws: As ``move(to:)``; `usage` where it is no name.
    public func rename(to name: String) async throws {
        try await move(to: mover.place(named: name, extensions: type?.extensions ?? []))
    }

    /// Whether the document is locked against editing by ``lock()``, by anybody: its permissions
    /// allow nobody to write it.
    public var isLocked: Bool { DocumentPermissions.isLocked(state.path) }

    /// Locks the document against editing until it is unlocked, whoever opens it. It goes on being
    /// open for reading.
    /// - Throws: `DocumentError`: `usage` where there is unsaved work, which would have no way to
    ///   be saved.
    public func lock() async throws { try await opened.exclusively { try mover.lock() } }

    /// Takes the lock away, and opens the document for editing.
    /// - Throws: `DocumentError`: `locked` where another program edits it.
    public func unlock() async throws { try await opened.exclusively { try mover.unlock() } }
}
