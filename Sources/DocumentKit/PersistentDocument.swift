public import Foundation
public import ObjectGraph
public import Schema
package import Storage

/// A document whose content is a graph of objects: a package, an archive, or a Core Data store by itself.
///
/// ```swift
/// let document = try await PersistentDocument.create(at: url, model: model)
/// let book = try document.context.insert("Book")
/// book["title"] = "Middlemarch"
/// try await document.save()
/// try await document.close()
/// ```
/// A package or archive has two levels of commit. `autosave()` keeps work safe from crashes and power cuts without touching the saved state;
/// `save()` makes it the document's new state. A store by itself has one level.
///
/// A document belongs to whoever made it, like its context; it is not sent anywhere else. While it is open for editing no other process can edit it.
open class PersistentDocument {
    /// What a document is opened for.
    public enum Mode: Sendable, Hashable {
        /// Nothing is written, neither to the document nor beside it. Shows autosaved work of an editor too.
        case reading
        /// Takes the document's lock until it is closed.
        case editing
    }

    /// What becomes of work that an editor autosaved and never saved because it crashed.
    public enum Recovery: Sendable, Hashable {
        /// Opening fails with `DocumentError.recoverable`.
        case refuse
        /// The work is there, and `recovered` says so.
        case keep
        /// The document opens as it was last saved; the work is set aside until the next save.
        case discard
    }

    /// Work that an editor that is gone left behind, and that is part of the document now but not saved.
    public struct RecoveredWork: Sendable, Hashable {
        /// The last save before it.
        public let saved: Date
        /// The last autosave.
        public let autosaved: Date
    }

    private var openSession: DocumentSession?
    private var openContext: ManagedObjectContext?
    private var objectClasses: [String: ManagedObject.Type] = [:]
    /// The autosaved work that was found when the document was opened; nil once it is saved or given up.
    public internal(set) var recovered: RecoveredWork?

    /// Makes a document that is not open; use `open` and `create`.
    public required init() {}

    // MARK: Opening

    /// Opens a document.
    /// - Parameters:
    ///   - model: The model of a store that carries none; where the document has one, this must be the same. Nil for the document's own.
    ///   - recovery: What becomes of autosaved work that an editor which is gone left. Readers see it in any case.
    ///   - classes: The classes of objects, by the names that the model gives in `managedObjectClassName`.
    /// - Throws: `DocumentError`: `notFound`, `malformed`, `locked`, `recoverable`, `modelMismatch`, `newer`, `permission`…
    ///
    /// Costs the same for large documents as for small ones, but that the store of an archive is read once where it has up to 64 MB, and taken out where it is compressed.
    public static func open(
        _ url: URL, mode: Mode = .editing, model: ManagedObjectModel? = nil, recovery: Recovery = .refuse, classes: [String: ManagedObject.Type] = [:]
    ) async throws -> Self {
        try await open(url, mode: mode, recovery: recovery, classes: classes) { _ in model }
    }

    /// Opens a document with the model that `model` finds for the hashes that its store records.
    package static func open(
        _ url: URL, mode: Mode, state: DocumentState = .newest, recovery: Recovery = .refuse, classes: [String: ManagedObject.Type] = [:],
        fitting model: @escaping @Sendable ([String: Data]) throws -> ManagedObjectModel?
    ) async throws -> Self {
        let document = Self()
        document.objectClasses = classes
        let session =
            switch mode {
            case .editing: try DocumentSession.edit(url.path, model: model, recovery: recovery)
            case .reading: try DocumentSession.read(url.path, state, model: model)
            }
        document.begin(session)
        if mode == .editing, let marker = session.marker, !marker.isSaved {
            document.recovered = RecoveredWork(saved: marker.saved, autosaved: marker.committed)
        }
        return document
    }

    /// Makes a new document without objects and opens it for editing. The document has its model inside.
    /// - Parameters:
    ///   - modelName: The name of the model's version; nil for its first version identifier.
    ///   - replacing: Whether a document that is there already is replaced, in one step.
    /// - Throws: `DocumentError`: `cannotCreate` where something is there already, `permission`, `io`.
    public static func create(
        at url: URL, model: ManagedObjectModel, form: DocumentForm = .package, modelName: String? = nil, replacing: Bool = false,
        classes: [String: ManagedObject.Type] = [:]
    ) async throws -> Self {
        try await writeEmpty(at: url, model: model, form: form, modelName: modelName, replacing: replacing)
        return try await open(url, mode: .editing, model: model, classes: classes)
    }

    /// Makes a new document without objects and does not open it.
    public static func writeEmpty(
        at url: URL, model: ManagedObjectModel, form: DocumentForm = .package, modelName: String? = nil, replacing: Bool = false
    ) async throws {
        let name = modelName ?? PackageBuilder.name(for: model)
        guard PackageLayout.isModelName(name) else { throw DocumentError(.usage, "“\(name)” can't be the name of a model's version", path: url.path) }
        let writer = DocumentWriter(target: LinkResolution.resolve(url.path), form: form, replaces: replacing, model: model, modelName: name)
        _ = try writer.write(.nothing)
    }

    // MARK: State

    /// The objects: one context for as long as the document is open.
    public var context: ManagedObjectContext {
        guard let openContext else { preconditionFailure("The document is closed: use its context before closing it") }
        return openContext
    }

    public var isOpen: Bool { openSession != nil }
    public var model: ManagedObjectModel { session.model }
    /// Where the document is, links resolved.
    public var url: URL { URL(fileURLWithPath: session.path) }
    public var kind: DocumentKind { session.kind }
    public var mode: Mode { session.isEditing ? .editing : .reading }
    /// The document's UUID, which is that of its store: object IDs have it.
    public var uuid: String { session.uuid }
    /// What the document said of itself when it was opened or last saved; nil for a store by itself.
    public var manifest: Manifest? { session.manifest }

    /// Whether there is anything that `save()` would save: changes in the context, or autosaved work.
    public var hasUnsavedChanges: Bool { openSession != nil && (context.hasChanges || session.hasAutosavedWork) }
    /// Whether the document, as it is shown, has work that was autosaved and not saved, by this program or another.
    public var hasAutosavedWork: Bool { session.hasAutosavedWork }
    /// When the document was last saved; nil for a store by itself.
    public var saved: Date? { session.marker?.saved }
    /// When the work that is not saved was last autosaved.
    public var autosaved: Date? { session.marker.flatMap { $0.isSaved ? nil : $0.committed } }

    /// What the last save left undone after its commit, such as keeping the state before it as a version; nil where it came to its end. The save stands, and the next save,
    /// close or opening does the rest.
    public var unfinishedSave: (any Error)? { openSession?.unfinishedSave }

    /// The store, for whole tables of values without objects.
    package var store: any PersistentStore { session.store }

    var session: DocumentSession {
        guard let openSession else { preconditionFailure("The document is closed: open it before using it") }
        return openSession
    }

    /// Takes up a session: with a context of its own, or, where the document went on to other files, with the one that is there.
    func begin(_ session: DocumentSession) {
        if let openContext, let openSession {
            openContext.persistentStoreCoordinator.replace(openSession.store, by: session.store)
        } else {
            let coordinator = PersistentStoreCoordinator(model: session.model, classes: objectClasses, factories: [])
            coordinator.add(session.store)
            openContext = ManagedObjectContext(coordinator)
        }
        openSession = session
    }

    /// The files are closed: the context finds no store any more.
    func end() {
        try? openContext?.persistentStoreCoordinator.removePersistentStores()
        openContext = nil
        openSession = nil
        recovered = nil
    }

    /// The session for an operation that writes.
    func editingSession() throws -> DocumentSession {
        guard session.isEditing else { throw DocumentError(.usage, "the document is open for reading only", path: session.path) }
        return session
    }
}
