internal import CFolio
internal import DocumentFiles
internal import Folio
internal import Foundation
internal import Interchange

/// A document that the host has open, and what the host is to be told of it.
///
/// Everything here is used inside the monitor.
final class DocumentContent: HandleContent, @unchecked Sendable {
    // Sendable by proof: all variables are read and written by threads that are inside `monitor`,
    // one at a time; see ``perform(_:)`` and ``drive(_:)``.
    let monitor: Monitor
    let actor: DocumentActor
    var document: PersistentDocument?
    /// The handle, which is the host's name for the document; nil once it was freed.
    var handle: OpaquePointer?

    /// By the position of the entity.
    var keyTables: [KeyTable?] = []
    private var texts: [String: CText] = [:]

    // MARK: What the host is told

    var handler: (call: folio_handler, context: HostContext)?
    /// The thread that dispatches; nil for any.
    var dispatchingThread: pthread_t?
    var isDispatching = false
    var notices: [Notice] = []
    /// Whether something was edited since the last event.
    private var isEventOpen = false
    var shownState: ShownState?

    init() {
        let monitor = Monitor()
        self.monitor = monitor
        actor = DocumentActor(monitor)
        super.init(.document)
    }

    // MARK: Using the document

    static var closed: InterchangeError { InterchangeError.usage("the document is closed") }

    var opened: PersistentDocument {
        get throws {
            guard let document, document.isOpen else { throw Self.closed }
            return document
        }
    }

    /// Runs work on the document, which is open, on the calling thread.
    /// - Parameter reading: Whether no value of an object and no relationship is changed.
    @inline(__always)
    func perform<Result>(reading: Bool = false, _ body: (PersistentDocument) throws -> Result) throws -> Result {
        try monitor.enter(reading: reading)
        defer { monitor.leave() }
        return try body(opened)
    }

    /// Runs work that changes objects, and begins an event with it.
    func edit<Result>(_ body: (PersistentDocument) throws -> Result) throws -> Result {
        try perform { document in
            defer { noteEdit() }
            return try body(document)
        }
    }

    /// Runs work that has to be done inside even from a function that the library calls, and on a
    /// document that is closed.
    func performAlways(reading: Bool = false, _ body: () -> Void) {
        if monitor.isInside { return body() }
        guard (try? monitor.enter(reading: reading)) != nil else { return }
        body()
        monitor.leave()
    }

    /// Runs an asynchronous operation to its end on the calling thread. Others may use the document
    /// while it waits.
    func drive<Result: Sendable>(_ operation: @escaping @Sendable (PersistentDocument) async throws -> Result) throws
        -> Result
    {
        try driveAlways { content in try await operation(content.opened) }
    }

    /// As ``drive(_:)``, for a document that may not be open.
    func driveAlways<Result: Sendable>(_ operation: @escaping @Sendable (DocumentContent) async throws -> Result) throws
        -> Result
    {
        try monitor.enter()
        defer { monitor.leave() }
        let outcome = Outcome<Result>()
        start(ProgressContent.current) { content in
            do { outcome.result = .success(try await operation(content)) } catch { outcome.result = .failure(error) }
        }
        monitor.runJobs { outcome.result != nil }
        guard let result = outcome.result else { preconditionFailure("The operation has ended") }
        noteState()
        return try result.get()
    }

    /// Starts an operation inside. The calling thread is inside, and leaves before it runs.
    /// - Parameter meter: What shows the progress of the operation, and cancels it.
    func start(_ meter: WorkMeter?, _ operation: @escaping @Sendable (DocumentContent) async -> Void) {
        actor.assumeIsolated { actor in
            _ = Task {
                _ = actor
                await WorkProgress.with(meter) { await operation(self) }
            }
        }
    }

    private final class Outcome<Result: Sendable>: @unchecked Sendable {
        // Sendable by proof: it is written inside the monitor, and read inside, or with the mutex
        // of the monitor locked while nobody is inside.
        var result: Swift.Result<Result, any Error>?
    }

    // MARK: Telling the host

    /// Something was edited: the host is to dispatch, which ends the event.
    func noteEdit() {
        guard !isEventOpen else { return }
        isEventOpen = true
        monitor.noteNotice()
    }

    /// Ends the event.
    func endEvent() {
        isEventOpen = false
        guard let document, document.isOpen else { return }
        document.context.processPendingChanges()
    }

    /// Adds what the host is told by the next dispatch. A document that was freed tells nothing.
    func add(_ notice: Notice) {
        guard handle != nil else { return }
        notices.append(notice)
        monitor.noteNotice()
    }

    /// Adds a notice where what the host shows of the document has changed.
    func noteState() {
        guard handler != nil, let document, document.isOpen else { return }
        let state = ShownState(document)
        guard state != shownState else { return }
        shownState = state
        add(.event(FOLIO_EVENT_CHANGED, nil))
    }

    // MARK: Files

    private var scratchFolder: URL?

    /// The place of a new temporary file, which is removed when nothing of the document is left.
    func scratchFile() throws -> URL {
        try monitor.enter()
        defer { monitor.leave() }
        let folder: URL
        if let scratchFolder {
            folder = scratchFolder
        } else {
            // A later process removes it if this one is killed.
            folder = URL(fileURLWithPath: try StateFolder.makeTemporary())
            scratchFolder = folder
        }
        return folder.appendingPathComponent(UUID().uuidString)
    }

    deinit { if let scratchFolder { StateFolder.removeTemporary(scratchFolder.path) } }

    /// Text that the host reads as long as the document has a handle.
    func keptText(_ text: String) -> UnsafePointer<CChar> {
        if let known = texts[text] { return known.pointer }
        let kept = CText(text)
        texts[text] = kept
        return kept.pointer
    }
}

/// What an application shows of a document beside its objects.
struct ShownState: Equatable {
    private let isUnsaved: Bool
    private let hasAutosavedWork: Bool
    private let canUndo: Bool
    private let canRedo: Bool
    private let undoName: String
    private let redoName: String

    init(_ document: PersistentDocument) {
        let undoManager = document.context.undoManager
        isUnsaved = document.hasUnsavedChanges
        hasAutosavedWork = document.hasAutosavedWork
        canUndo = undoManager?.canUndo ?? false
        canRedo = undoManager?.canRedo ?? false
        undoName = undoManager?.undoActionName ?? ""
        redoName = undoManager?.redoActionName ?? ""
    }
}

/// What the host is to be told.
enum Notice {
    case event(folio_event_kind, (any Error)?)
    case live(LiveContent, LiveContent.Change)
    case completion(folio_completion, HostContext, (any Error)?)
}
