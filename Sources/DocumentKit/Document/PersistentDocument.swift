public import DocumentFiles
internal import FileSystem
public import Foundation
public import Migration
public import ObjectGraph
public import Schema
public import Storage

/// A document whose content is a graph of objects: a package, an archive, or a Core Data store by
/// itself.
///
/// ```swift
/// let document = try await PersistentDocument.create(at: url, model: model)
/// let book = try document.context.insert("Book")
/// book["title"] = "Middlemarch"
/// try await document.save()
/// try await document.close()
/// ```
/// A package or archive has two levels of commit. `autosave()` keeps work safe from crashes and
/// power cuts without touching the saved state; `save()` makes it the document's new state. A store
/// by itself has one level.
///
/// A document belongs to whoever made it, like its context; it is not sent anywhere else. While it
/// is open for editing no other process can edit it. An editor on the main actor goes on editing
/// while a save writes: changes that are made meanwhile wait for the next one. Operations of one
/// document follow one another in the order in which they are called; none of them may be called,
/// and waited for, from within a hook of another. Of a closed document they throw `DocumentError`
/// with code `usage`, and what it says of itself traps, but for `isOpen` and `hasUnsavedChanges`.
///
/// Subclasses take part by the methods at the end of this class: how the store is opened,
/// validation, files of their own, a preview, what the manifest says, what becomes of conflicts.
open class PersistentDocument {
    /// What a document is opened for.
    public enum Mode: Sendable, Hashable {
        /// Nothing is written, neither to the document nor beside it. Shows autosaved work of an
        /// editor too.
        case reading
        /// Takes the document's lock until it is closed.
        case editing
    }

    /// What becomes of unsaved work when a document is closed.
    public enum UnsavedWork: Sendable, Hashable {
        /// It is saved; where that fails the document stays open.
        case save
        /// It is autosaved: the next opening finds it. What can't be autosaved (the changes of a
        /// store by itself, what ``noteChange()`` has noted) fails the close with `DocumentError`
        /// `unsavedChanges`, and the document stays open.
        case keep
        /// It is given up: the document is as it was last saved.
        case discard
    }

    /// What becomes of work that an editor autosaved and never saved because it crashed.
    public typealias Recovery = DocumentRecovery

    /// Work that an editor that is gone left behind, and that is part of the document now but not
    /// saved.
    public struct RecoveredWork: Sendable, Hashable {
        /// The last save before it.
        public let saved: Date
        /// The last autosave.
        public let autosaved: Date
    }

    /// What the document has while it is open.
    final let opened = OpenDocument()
    /// What the policy of background tasks says that closing does; nil without one.
    final var unsavedWorkOnClose: UnsavedWork?
    /// Told of everything that another program does to the document, once it was dealt with. Needs
    /// ``startBackgroundTasks(_:isolation:)`` or ``checkForOutsideChanges()``.
    public var outsideChangeHandler: ((OutsideChange) -> Void)?
    /// How much may be autosaved on top of a save, in bytes, before the store takes it up, so that
    /// the journal does not grow without end. The last save is a version then, and ``revert()``
    /// goes back to it all the same. Nil for 256 MB or a quarter of the store, whichever is more.
    public var autosavedBytesLimit: Int64?
    /// Told when an autosave in the background fails; it is tried again.
    public var autosaveErrorHandler: ((any Error) -> Void)?
    /// The type that the document was opened as, where a ``DocumentController`` did that.
    public internal(set) var type: DocumentType?
    /// Told of copies of the document that it has opened.
    final var duplicateHandler: ((PersistentDocument) -> Void)?

    /// Makes a document that is not open; use `open` and `create`.
    public required init() {}

    // MARK: Opening

    /// Opens a document.
    /// - Parameters:
    ///   - model: The model of a store that carries none; where the document has one, this must be
    ///     the same. Nil for the document's own, or, in a class with a ``migrationPlan``, for the
    ///     newest version of that, which documents of former versions are brought to.
    ///   - recovery: What becomes of autosaved work that an editor which is gone left. Readers see
    ///     it in any case.
    ///   - classes: The classes of objects, by the names that the model gives in
    ///     `managedObjectClassName`.
    /// - Throws: `DocumentError`: `notFound`, `malformed`, `locked`, `recoverable`,
    ///   `modelMismatch`, `newer`, `permission`…
    ///
    /// Costs the same for large documents as for small ones, but that the store of an archive is
    /// read once where it has up to 64 MB, and taken out where it is compressed. The files are
    /// opened off the caller.
    public static func open(
        _ url: URL, mode: Mode = .editing, model: ManagedObjectModel? = nil, recovery: Recovery = .refuse,
        classes: [String: ManagedObject.Type] = [:]
    ) async throws -> Self {
        if model == nil, let plan = migrationPlan {
            return try await open(
                url, by: MigrationRoute(by: plan), migration: migrationPolicy, mode: mode, recovery: recovery,
                classes: classes)
        }
        return try await open(url, mode: mode, recovery: recovery, classes: classes, fitting: ModelChoice(model))
    }

    /// Makes a new document without objects and opens it for editing. The document has its model
    /// inside.
    /// - Parameters:
    ///   - modelName: The name of the model's version; nil for its first version identifier.
    ///   - replacing: Whether a document that is there already is replaced, in one step.
    /// - Throws: `DocumentError`: `cannotCreate` where something is there already, `permission`,
    ///   `io`; with `isWritten` where the new document is there and can't be opened.
    public static func create(
        at url: URL, model: ManagedObjectModel, form: DocumentForm = .package, modelName: String? = nil,
        replacing: Bool = false,
        classes: [String: ManagedObject.Type] = [:]
    ) async throws -> Self {
        // Nobody else may come between the making and the opening.
        let lock = try await DocumentWriter.writeEmpty(url, model, form, modelName, replaces: replacing)
        do {
            return try await open(
                url, mode: .editing, recovery: .refuse, lock: lock, classes: classes, fitting: ModelChoice(model))
        } catch let error as DocumentError {
            throw error.ofWritten(LinkResolution.resolve(url.path), hint: "open it again later")
        }
    }

    /// Makes a new document without objects and does not open it.
    @concurrent
    public static func writeEmpty(
        at url: URL, model: ManagedObjectModel, form: DocumentForm = .package, modelName: String? = nil,
        replacing: Bool = false
    ) async throws {
        try await DocumentWriter.writeEmpty(url, model, form, modelName, replaces: replacing).release()
    }

    // MARK: State

    /// The objects: one context for as long as the document is open. Traps when it is closed.
    ///
    /// It has an undo manager, whose `byteLimit` is 64 MB; an import so large can't be undone. Undo
    /// holds the objects that were changed, and has each object that is deleted read: set
    /// `undoManager` to nil for bulk work, or disable its registration meanwhile.
    ///
    /// ```swift
    /// document.context.undoManager?.undo()
    /// ```
    /// The document saves them: where it is a package or an archive, `save()` of this or another
    /// context on the same coordinator, and batch requests, throw ``DocumentError`` with code
    /// `usage`. A child of this context saves to this one.
    public var context: ManagedObjectContext { opened.context }

    public var isOpen: Bool { opened.isOpen }
    final var state: SessionState { opened.state }
    public var model: ManagedObjectModel { state.model }
    /// Where the document is, links resolved.
    public var url: URL { URL(fileURLWithPath: state.path) }
    public var kind: DocumentKind { state.kind }
    public var mode: Mode { state.isEditing ? .editing : .reading }
    /// The document's UUID, which is that of its store: object IDs have it.
    public var uuid: String { state.uuid }
    /// Whether the document has no name yet: it was made by ``DocumentController/newDocument(of:)``
    /// and never saved with ``save(as:form:replacing:progress:)``.
    public var isUntitled: Bool { opened.isUntitled }
    /// What the document said of itself when it was opened or last saved; nil for a store by
    /// itself.
    public var manifest: Manifest? { state.manifest }
    /// Whether the document, as it is shown, has work that was autosaved and not saved, by this
    /// program or another.
    public var hasAutosavedWork: Bool { state.hasAutosavedWork }
    /// When the document was last saved; nil for a store by itself.
    public var saved: Date? { state.marker?.userSave.saved }
    /// When the work that is not saved was last autosaved.
    public var autosaved: Date? { state.marker.flatMap { $0.hasUnsavedWork ? $0.committed : nil } }

    /// The autosaved work that was found when the document was opened; nil once it is saved or
    /// given up.
    public var recovered: RecoveredWork? {
        opened.edits.recovered.map { RecoveredWork(saved: $0.saved, autosaved: $0.autosaved) }
    }
    /// How many changes were made that are worth no save (``makeDiscardableChanges(_:)``).
    public var discardableChangeCount: Int { opened.edits.discardableChangeCount }
    /// What another program did to the document that is not settled yet: `conflict`, `deleted` or
    /// `unreadable`. Saves fail as long as it is there.
    public var outsideChange: OutsideChange? { opened.outsideChange }

    /// What the last save left undone after its commit, such as keeping the state before it as a
    /// version; nil where it came to its end. The save stands, and the next save, close or opening
    /// does the rest. Where files of ``extraContent()`` could not be put in place, the document has
    /// unsaved changes still, and the next save writes them again.
    public var unfinishedSave: (any Error)? { isOpen ? state.postCommitError : nil }

    /// Values of autosaved objects that have to be unique and that other objects have too. They are
    /// there in ``context``, but a save fails, or the merge policy settles it, until one of the
    /// objects gives way. Empty where all fits.
    public var pendingUniqueValues: [PendingUniqueValue] { isOpen ? state.pendingUniqueValues : [] }

    /// Where a journal was put that lay beside the store when the document was opened for editing
    /// and was not its own, as a stale copy of one is; nil for none. Nothing of it was applied.
    public var quarantinedJournal: URL? { isOpen ? state.quarantinedJournal.map { URL(fileURLWithPath: $0) } : nil }

    /// How many commits of other programs were found in the journal beside the document's store,
    /// which no save or autosave of the document made; 0 for none. They are part of what the
    /// document shows. Where they came on top of the last save, opening for editing makes them a
    /// save of their own, and the state before them is kept as a version.
    public var outsideCommits: Int { isOpen ? state.outsideCommits : 0 }

    // MARK: For subclasses

    /// The versions of the documents of this class and the way from each to the next; nil for none,
    /// which leaves every document in the version that it is of.
    ///
    /// ```swift
    /// final class LibraryDocument: PersistentDocument {
    ///     override class var migrationPlan: (any SchemaMigrationPlan.Type)? { LibraryPlan.self }
    /// }
    /// let document = try await LibraryDocument.open(url)   // of the newest version now
    /// ```
    /// Opening a document of a former version migrates it first as ``migrationPolicy`` says, and
    /// keeps the old state as a version.
    open class var migrationPlan: (any SchemaMigrationPlan.Type)? { nil }

    /// What opening does about a document of a former version of the ``migrationPlan``. Opening for
    /// reading shows a migrated copy in any case.
    open class var migrationPolicy: MigrationPolicy { .automatic }

    /// Says how the document's store is to be opened, whenever that is: called once, on the
    /// document's owner, before anything of the document is looked at.
    ///
    /// ```swift
    /// override func configureStore(_ description: inout PersistentStoreDescription) {
    ///     description.cacheKilobytes = 128 * 1024
    ///     description.tracksHistory = true
    /// }
    /// ```
    /// What counts is `timeout`, `waitObserver`, and of a SQLite store `cacheKilobytes` and
    /// `tracksHistory`; of a store by itself also `journalMode` and `synchronous`. The rest is the
    /// document's own.
    open func configureStore(_ description: inout PersistentStoreDescription) {}

    /// Says at once what becomes of a conflict: another program has put another state in the
    /// document's place while edits here were unsaved. Nil, as here, leaves it to whoever calls
    /// ``resolveConflict(_:)``, an editor that asks its user first.
    ///
    /// ```swift
    /// override func conflictResolution() async -> ConflictResolution? { .merge(.mergeByPropertyObjectTrump) }
    /// ```
    /// Called on the document's owner when the conflict is noticed, which may be in a save that
    /// then goes on. ``outsideChangeHandler`` is told how it was settled; where that fails, of the
    /// conflict.
    open func conflictResolution() async -> ConflictResolution? { nil }

    /// Checks the document as a whole before it is saved; what it throws fails the save. Autosaves
    /// don't ask. Objects have checked themselves already.
    open func validate() throws {}

    /// Files of the application's own that are to lie in the document under `extra/`. Called on the
    /// document's owner when a save begins: take what is needed as values; the files' `content` is
    /// called off it.
    ///
    /// ```swift
    /// override func extraContent() throws -> [ExtraFile] {
    ///     let state = viewState   // a value
    ///     return [ExtraFile("view/state.json") { try JSONEncoder().encode(state) }]
    /// }
    /// ```
    /// Each file is replaced by itself, when the save is committed; those that are not named stay
    /// as they are.
    open func extraContent() throws -> [ExtraFile] { [] }

    /// Pictures of the document for those who list it, under `preview/`, called and written like
    /// ``extraContent()``. They can be made again: where that fails, the save does not.
    open func preview() throws -> [ExtraFile] { [] }

    /// What the manifest says of the document: shown where it is listed, without opening its store.
    /// Asked when a save begins.
    open var title: String? { manifest?.title }

    /// Words to find the document by; see ``title``.
    open var keywords: [String]? { manifest?.keywords }
}
