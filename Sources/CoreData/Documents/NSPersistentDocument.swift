public import Foundation
public import ObjectGraph
import SQLiteStore
import Schema
import Stack
import Storage

/// A document that is a store: the part of AppKit's class that is about data, for code that has
/// such documents and is to run without windows.
///
/// Three methods are overridden: ``managedObjectModel``,
/// ``configurePersistentStoreCoordinator(for:ofType:modelConfiguration:storeOptions:)`` and
/// ``persistentStoreType(forFileType:)``. `PersistentDocument` of Folio has packages, versions,
/// autosave and recovery, which this has not.
open class NSPersistentDocument: NSObject {
    /// Why a document is written. The raw values are AppKit's.
    public enum SaveOperationType: UInt, Sendable {
        /// Into its own file.
        case saveOperation = 0
        /// Into another file, which is the document's from then on.
        case saveAsOperation
        /// Into another file.
        case saveToOperation
    }

    /// The file; nil for a document that was never saved.
    ///
    /// Set it after the file has been moved: the document goes on with the file at the new location
    /// if that is the same store. Setting another location has an effect with the next save, which
    /// copies the store to the location that it is given.
    open var fileURL: URL? {
        get { ownURL }
        set {
            ownURL = newValue
            if let newValue { followMove(to: newValue) }
        }
    }
    private var ownURL: URL?
    /// Why the store could not be opened where the file was moved to; the next save throws it.
    private var moveError: (any Error)?
    /// The type of the document, as the application names it.
    open var fileType: String?
    private var ownContext: NSManagedObjectContext?
    private var coordinator: NSPersistentStoreCoordinator?
    /// The changes that lie outside of the context.
    private var changeCount = 0

    /// Creates a document that was never saved.
    public override init() { super.init() }

    /// Creates a document of a type that was never saved.
    public convenience init(type typeName: String) throws {
        self.init()
        fileType = typeName
    }

    /// Opens a document.
    ///
    /// - Throws: An error of Cocoa's domain.
    public convenience init(contentsOf url: URL, ofType typeName: String) throws {
        self.init()
        fileType = typeName
        try read(from: url, ofType: typeName)
    }

    // MARK: What subclasses say

    /// The model: all models of the main bundle as one, where a subclass says nothing else. The
    /// model must always be the same.
    open var managedObjectModel: NSManagedObjectModel? { mainModel }
    private lazy var mainModel = NSManagedObjectModel.mergedModel(from: nil)

    /// Adds the store of a file to the document's coordinator.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func configurePersistentStoreCoordinator(
        for url: URL, ofType fileType: String, modelConfiguration configuration: String?,
        storeOptions: [String: Any]? = nil
    ) throws {
        try persistentStoreCoordinator.addPersistentStore(
            ofType: storeType(of: fileType, at: url), configurationName: configuration, at: url,
            options: storeOptions)
    }

    /// The type of the store of a type of document: SQLite or binary where its name says so, else
    /// XML, where a subclass says nothing else.
    ///
    /// A file that is there is opened as the SQLite store, the XML or the binary one that it is.
    open func persistentStoreType(forFileType fileType: String) -> String {
        let name = fileType.lowercased()
        if name.contains("sqlite") { return NSSQLiteStoreType }
        return name.contains("binary") ? NSBinaryStoreType : NSXMLStoreType
    }

    private func storeType(of fileType: String, at url: URL) -> String {
        let type = persistentStoreType(forFileType: fileType)
        let own = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]
        guard own.contains(type) else { return type }
        return own.first {
            (try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: $0, at: url)) != nil
        } ?? type
    }

    // MARK: The content

    /// Traps for a document without a model: with an empty one a store would lose its entities.
    private var persistentStoreCoordinator: NSPersistentStoreCoordinator {
        if let coordinator { return coordinator }
        guard let managedObjectModel else {
            preconditionFailure(
                "The document has no model: the main bundle has none that can be read. Override managedObjectModel")
        }
        let made = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        coordinator = made
        return made
    }

    /// The context of the document, with an undo manager.
    open var managedObjectContext: NSManagedObjectContext? {
        get {
            if let ownContext { return ownContext }
            let made = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            made.persistentStoreCoordinator = persistentStoreCoordinator
            made.undoManager = UndoManager()
            ownContext = made
            return made
        }
        set { ownContext = newValue }
    }

    /// The undo manager of the context.
    open var undoManager: UndoManager? {
        get { managedObjectContext?.undoManager }
        set { managedObjectContext?.undoManager = newValue }
    }
    /// Whether the document has an undo manager.
    open var hasUndoManager: Bool {
        get { undoManager != nil }
        set { undoManager = newValue ? undoManager ?? UndoManager() : nil }
    }
    /// Whether there are unsaved changes: in the context, or such as
    /// ``updateChangeCount(_:)`` has counted.
    open var isDocumentEdited: Bool { changeCount != 0 || ownContext?.hasChanges == true }
    /// The name of the document for people.
    open var displayName: String! { fileURL?.deletingPathExtension().lastPathComponent ?? "Untitled" }

    /// What happened to the document's state.
    public enum ChangeType: UInt, Sendable {
        /// Something was changed.
        case changeDone = 0
        /// A change was undone.
        case changeUndone
        /// The document is as in its file.
        case changeCleared
        /// A change was redone.
        case changeRedone
    }

    /// Counts a change that lies outside of the context. A change that is undone as often as it is
    /// done leaves the document as it was. The changes of the context count by themselves, and
    /// clearing the count does not clear them.
    open func updateChangeCount(_ change: ChangeType) {
        switch change {
        case .changeDone, .changeRedone: changeCount += 1
        case .changeUndone: changeCount -= 1
        case .changeCleared: changeCount = 0
        }
    }

    // MARK: Files

    /// Opens the store of a file.
    ///
    /// - Throws: An error of Cocoa's domain, also for a file that there is not.
    open func read(from absoluteURL: URL, ofType typeName: String) throws {
        guard FileManager.default.fileExists(atPath: absoluteURL.path) else {
            throw CocoaErrors.made(
                NSFileReadNoSuchFileErrorCode, "There is no file to open", nil, [NSFilePathErrorKey: absoluteURL.path])
        }
        try configurePersistentStoreCoordinator(
            for: absoluteURL, ofType: typeName, modelConfiguration: nil, storeOptions: nil)
        ownURL = absoluteURL
    }

    /// Opens the store at a location that its file was moved to.
    private func followMove(to url: URL) {
        moveError = nil
        guard let store = coordinator?.persistentStores.first, let attached = store.attached,
            attached.url.standardizedFileURL != url.standardizedFileURL,
            FileManager.default.fileExists(atPath: url.path)
        else { return }
        do {
            try translatingErrors {
                let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: store.type, at: url)
                if metadata[NSStoreUUIDKey] as? String == store.identifier { try coordinator?.reopen(store, at: url) }
            }
        } catch {
            moveError = error
        }
    }

    /// Writes the document.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func write(
        to absoluteURL: URL, ofType typeName: String, for saveOperation: SaveOperationType,
        originalContentsURL absoluteOriginalContentsURL: URL? = nil
    ) throws {
        guard let context = managedObjectContext else { return }
        if let moveError { throw moveError }
        let store = persistentStoreCoordinator.persistentStores.first
        if saveOperation == .saveToOperation {
            throw CocoaErrors.made(NSPersistentStoreOperationError, "A persistent document can't be saved to elsewhere")
        }
        if let store, store.url?.standardizedFileURL != absoluteURL.standardizedFileURL {
            try translatingErrors { try move(store, to: absoluteURL, typeName) }
        } else if store == nil {
            try configurePersistentStoreCoordinator(
                for: absoluteURL, ofType: typeName, modelConfiguration: nil, storeOptions: nil)
        }
        try context.save()
    }

    /// Copies the store, and goes on with the copy: objects keep their IDs.
    private func move(_ store: NSPersistentStore, to url: URL, _ typeName: String) throws {
        let type = fileType == typeName ? store.type : persistentStoreType(forFileType: typeName)
        guard type == store.type, let old = store.attached else {
            throw StorageError(
                .unsupported, "A document keeps the type of its store: export it instead", path: url.path)
        }
        let folio = persistentStoreCoordinator.folio
        try PersistentStoreCoordinator(managedObjectModel: folio.managedObjectModel).replacePersistentStore(
            at: url, withPersistentStoreFrom: old.url, type: StoreType(rawValue: type))
        try persistentStoreCoordinator.reopen(store, at: url)
    }

    /// Saves the document, which has the file from then on.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func save(to url: URL, ofType typeName: String, for saveOperation: SaveOperationType) throws {
        try write(to: url, ofType: typeName, for: saveOperation, originalContentsURL: fileURL)
        (ownURL, fileType, changeCount) = (url, typeName, 0)
    }

    /// Saves the document, and tells how it went.
    open func save(
        to url: URL, ofType typeName: String, for saveOperation: SaveOperationType,
        completionHandler: @escaping ((any Error)?) -> Void
    ) {
        do {
            try save(to: url, ofType: typeName, for: saveOperation)
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    /// Discards unsaved changes, and shows what is in a file.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func revert(toContentsOf inAbsoluteURL: URL, ofType inTypeName: String) throws {
        ownContext?.undoManager?.removeAllActions()
        ownContext?.reset()
        for store in persistentStoreCoordinator.persistentStores { try persistentStoreCoordinator.remove(store) }
        try read(from: inAbsoluteURL, ofType: inTypeName)
        changeCount = 0
    }

    /// Closes the document. Unsaved changes are lost.
    open func close() {
        ownContext?.reset()
        for store in coordinator?.persistentStores ?? [] { try? coordinator?.remove(store) }
    }
}

extension NSPersistentStoreCoordinator {
    /// Goes on with a copy of a store, or with its file where it was moved to: objects keep their
    /// primary keys.
    ///
    /// - Throws: `StorageError` with code `unknownObject` for a store that the coordinator does not
    ///   have; errors of opening the file.
    func reopen(_ store: NSPersistentStore, at url: URL) throws {
        guard let attached = store.attached,
            let old = folio.stores.first(where: { $0.identity.uuid == attached.identifier })
        else { throw StorageError(.unknownObject, "The coordinator does not have this store", path: url.path) }
        var description = attached.storeDescription
        description.url = url
        guard
            let factory = PersistentStoreCoordinator.builtInFactories.first(where: { $0.type == description.type })
        else { throw StorageError(.unsupported, "No store of type \(description.type.rawValue) is registered") }
        let new = try factory.open(description, folio.managedObjectModel)
        folio.replace(old, by: new)
        store.attached = PersistentStore(new)
        try old.close()
    }
}
