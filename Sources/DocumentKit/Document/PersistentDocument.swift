public import FileMigration
public import DocumentFiles
public import Foundation
public import Migration
public import ObjectGraph
public import Schema
public import Storage

/// A document with a graph of objects as its content: a package, an archive, or a bare Core Data
/// store.
///
/// ```swift
/// let document = try await PersistentDocument.create(at: url, model: model)
/// let book = try document.context.insert("Book")
/// book["title"] = "Middlemarch"
/// try await document.save()
/// try await document.close()
/// ```
/// Packages and archives have two levels of commits. ``autosave()`` protects changes against
/// crashes and power failures without changing the saved state; ``save()`` makes them the saved
/// state. A bare store has one level.
///
/// A document, like its context, is not `Sendable`: use it in the isolation domain that created it,
/// typically the main actor. While it is open for editing, no other process can edit it. Saves
/// write in the background, so editing can continue meanwhile; later changes belong to the next
/// save.
///
/// Operations of a document are executed one at a time, in the order of their calls. Do not await
/// an operation in a hook of another one. Operations of a closed document throw `DocumentError`
/// with code `usage`. Of its properties ``url``, ``kind``, ``mode`` and ``uuid`` keep their last
/// values, and ``isOpen`` and ``hasUnsavedChanges`` are false; those that need the content trap.
///
/// Subclasses override the methods at the end of this class to configure the store, to validate, to
/// add files, a preview and descriptions, and to resolve conflicts.
open class PersistentDocument {
    /// The mode in which a document is open.
    public enum Mode: Sendable, Hashable {
        /// For reading. Nothing is written to the document or beside it. Autosaved work of an
        /// editor is visible.
        case reading
        /// For editing. The document is locked until it is closed.
        case editing
    }

    /// The treatment of unsaved work when a document is closed.
    public enum UnsavedWork: Sendable, Hashable {
        /// It is saved. If that fails, the document stays open.
        case save
        /// It is autosaved, and the next opening recovers it. If it can't be autosaved (changes of
        /// a bare store, or changes marked by ``noteChange()``), closing throws `DocumentError`
        /// with code `unsavedChanges`, and the document stays open.
        case keep
        /// It is discarded. The document is in its last saved state.
        case discard
    }

    /// The treatment of work that a crashed editor autosaved and never saved.
    public typealias Recovery = DocumentRecovery

    /// Autosaved work of a former editor that was recovered and is not saved yet.
    public struct RecoveredWork: Sendable, Hashable {
        /// The time of the last save before the work.
        public let saved: Date
        /// The time of the last autosave of the work.
        public let autosaved: Date
    }

    /// The state of the document while it is open.
    final let opened = OpenDocument()
    /// The treatment of unsaved work by the policy of the background tasks; nil without a policy.
    final var unsavedWorkOnClose: UnsavedWork?
    /// Called with every change of the document by another program, after it was handled. Requires
    /// ``startBackgroundTasks(_:isolation:)`` or calls of ``checkForOutsideChanges()``.
    public var outsideChangeHandler: ((OutsideChange) -> Void)?
    /// The maximum size of autosaved work in bytes before the WAL is checkpointed, so that it does
    /// not grow without limit. The last save is then kept as a version, and ``revert()`` still
    /// restores it. Nil for 256 MB or a quarter of the store, whichever is larger.
    public var autosavedBytesLimit: Int64?
    /// Called when a background autosave fails. The autosave is tried again.
    public var autosaveErrorHandler: ((any Error) -> Void)?
    /// The type with which a ``DocumentController`` opened the document.
    public internal(set) var type: DocumentType?
    /// Called when ``duplicate(to:)`` has opened a copy of the document.
    final var duplicateHandler: ((PersistentDocument) -> Void)?

    /// Creates a document that is not open. Use `open` and `create` instead.
    public required init() {}

    // MARK: State

    /// The context with the objects, the same one while the document is open. Traps if the document
    /// is closed.
    ///
    /// It has an undo manager with a ``UndoManager/byteLimit`` of 64 MB; larger imports can't be
    /// undone. Undo retains changed objects and reads deleted ones: for bulk changes, set
    /// `undoManager` to nil or disable registration.
    ///
    /// ```swift
    /// document.context.undoManager?.undo()
    /// ```
    /// The document saves the objects. In packages and archives, ``ManagedObjectContext/save()`` of
    /// this and of other contexts of the coordinator, and batch requests, throw ``DocumentError``
    /// with code `usage`. A child context saves to this one.
    public var context: ManagedObjectContext { opened.context }

    /// Whether the document is open.
    public var isOpen: Bool { opened.isOpen }
    final var state: SessionState { opened.state }
    /// The model of the document.
    public var model: ManagedObjectModel { state.model }
    /// The location of the document, with symbolic links resolved.
    public var url: URL { URL(fileURLWithPath: opened.identity.path) }
    /// The kind of document.
    public var kind: DocumentKind { opened.identity.kind }
    /// The mode in which the document is open.
    public var mode: Mode { opened.identity.isEditing ? .editing : .reading }
    /// The UUID of the document, which is that of its store and part of object IDs.
    public var uuid: String { opened.identity.uuid }
    /// Whether the document has no name yet: it was created by
    /// ``DocumentController/newDocument(of:)`` and never saved with
    /// ``save(as:form:replacing:progress:)``.
    public var isUntitled: Bool { opened.isUntitled }
    /// The manifest as of opening or the last save; nil for a bare store.
    public var manifest: DocumentManifest? { state.manifest }
    /// Whether the document contains autosaved work that is not saved, by this program or another.
    public var hasAutosavedWork: Bool { state.hasAutosavedWork }
    /// The time of the last save; nil for a bare store.
    public var saved: Date? { state.marker?.userSave.saved }
    /// The time of the last autosave, if there is autosaved work that is not saved.
    public var autosaved: Date? { state.marker.flatMap { $0.hasUnsavedWork ? $0.committed : nil } }

    /// The autosaved work that was recovered when the document was opened; nil once it is saved or
    /// discarded.
    public var recovered: RecoveredWork? {
        opened.edits.recovered.map { RecoveredWork(saved: $0.saved, autosaved: $0.autosaved) }
    }
    /// The number of changes by ``makeDiscardableChanges(_:)``.
    public var discardableChangeCount: Int { opened.edits.discardableChangeCount }
    /// A change by another program that is not resolved yet: `conflict`, `deleted` or `unreadable`.
    /// Saves fail while there is one.
    public var outsideChange: OutsideChange? { opened.outsideChange }

    /// The error that left work of the last save unfinished after its commit, such as keeping the
    /// state before it as a version; nil if the save completed. The save is valid, and the next
    /// save, close or opening completes the work. If files of ``extraContent()`` could not be
    /// written, the document still has unsaved changes, and the next save writes them again.
    public var postCommitError: (any Error)? { isOpen ? state.postCommitError : nil }

    /// Values of autosaved objects that violate uniqueness constraints. The objects in ``context``
    /// have them, but a save fails, or the merge policy resolves the violation, until one of the
    /// objects changes.
    public var pendingUniqueValues: [PendingUniqueValue] { isOpen ? state.pendingUniqueValues : [] }

    /// The location to which a WAL was moved that was found when the document was opened for
    /// editing and does not belong to the store, such as an outdated copy; nil if there was none.
    /// None of it was applied.
    public var quarantinedWAL: URL? { isOpen ? state.quarantinedWAL.map { URL(fileURLWithPath: $0) } : nil }

    /// The number of commits by other programs that were found in the WAL of the store, which no
    /// save or autosave of the document made. They are part of the document. If they follow the
    /// last save, opening for editing turns them into a save of their own, and keeps the state
    /// before them as a version.
    public var outsideCommits: Int { isOpen ? state.outsideCommits : 0 }

    // MARK: For subclasses

    /// The versions of documents of this class, and the migrations between them. Nil, the default,
    /// if documents keep the version that they have.
    ///
    /// ```swift
    /// final class LibraryDocument: PersistentDocument {
    ///     override class var migrationPlan: (any SchemaMigrationPlan.Type)? { LibraryPlan.self }
    /// }
    /// let document = try await LibraryDocument.open(url)   // of the newest version now
    /// ```
    /// Opening a document of an older version migrates it first, as ``migrationPolicy`` determines,
    /// and keeps the old state as a version.
    open class var migrationPlan: (any SchemaMigrationPlan.Type)? { nil }

    /// The treatment of documents of an older version of the ``migrationPlan`` when they are opened
    /// for editing. Opening for reading always shows a migrated copy.
    open class var migrationPolicy: MigrationPolicy { .automatic }

    /// Configures the store before it is opened. Called once, in the isolation domain of the
    /// document, before the document is accessed. The default implementation does nothing.
    ///
    /// ```swift
    /// override func configureStore(_ description: inout PersistentStoreDescription) {
    ///     description.cacheKilobytes = 128 * 1024
    ///     description.tracksHistory = true
    /// }
    /// ```
    /// The properties `timeout`, `waitObserver`, `cacheKilobytes` and `tracksHistory` are used, the
    /// latter two for SQLite stores; for bare stores also `journalMode` and `synchronous`. Others
    /// are set by the document.
    open func configureStore(_ description: inout PersistentStoreDescription) {}

    /// The resolution of a conflict: another program has replaced the document while there are
    /// unsaved changes here. Nil, the default, leaves the conflict unresolved until
    /// ``resolveConflict(_:)`` is called, for example after asking the user.
    ///
    /// ```swift
    /// override func conflictResolution() async -> ConflictResolution? { .merge(.mergeByPropertyObjectTrump) }
    /// ```
    /// Called in the isolation domain of the document when a conflict is detected, which may be
    /// during a save that continues afterwards. ``outsideChangeHandler`` is called with the
    /// resolution, or with the conflict if that fails.
    open func conflictResolution() async -> ConflictResolution? { nil }

    /// Validates the document as a whole before a save, after its objects were validated; throw to
    /// fail the save. Not called for autosaves. The default implementation does nothing.
    open func validate() throws {}

    /// The files of the application that a save writes into the document, under `extra/`. Called in
    /// the isolation domain of the document when a save begins: capture the necessary values,
    /// because the `content` of files is called elsewhere. The default is no files.
    ///
    /// ```swift
    /// override func extraContent() throws -> [ExtraFile] {
    ///     let state = viewState   // a value
    ///     return [ExtraFile("view/state.json") { try JSONEncoder().encode(state) }]
    /// }
    /// ```
    /// Each file is replaced separately when the save is committed. Files that are not listed are
    /// kept.
    open func extraContent() throws -> [ExtraFile] { [] }

    /// Previews of the document, under `preview/`, for programs that list documents. Called and
    /// written like ``extraContent()``, but an error does not fail the save. The default is no
    /// previews.
    open func preview() throws -> [ExtraFile] { [] }

    /// The title of the document in its manifest, which can be read without opening the store. Read
    /// when a save begins. The default keeps the title in the manifest.
    open var title: String? { manifest?.title }

    /// The keywords of the document in its manifest; see ``title``.
    open var keywords: [String]? { manifest?.keywords }
}
