internal import DocumentFiles

/// When a document saves by itself.
///
/// ```swift
/// document.startBackgroundTasks(.saveless)
/// ```
public struct SavingPolicy: Sendable, Hashable {
    /// An autosave comes after so long without a change; nil for none.
    public var idle: Duration?
    /// Autosaves come at most so often.
    public var minimumInterval: Duration
    /// Where changes never pause, work is at most so old when it is autosaved.
    public var maximumDelay: Duration
    /// Whether what is autosaved is saved by that, where it is valid.
    public var savesWhenIdle: Bool
    /// What `close()` does with unsaved work; nil as `keep`.
    public var unsavedWorkOnClose: PersistentDocument.UnsavedWork?

    public init(
        idle: Duration? = .seconds(2), minimumInterval: Duration = .seconds(5), maximumDelay: Duration = .seconds(30),
        savesWhenIdle: Bool = false,
        unsavedWorkOnClose: PersistentDocument.UnsavedWork? = .keep
    ) {
        self.idle = idle
        self.minimumInterval = minimumInterval
        self.maximumDelay = maximumDelay
        self.savesWhenIdle = savesWhenIdle
        self.unsavedWorkOnClose = unsavedWorkOnClose
    }

    /// The user saves; meanwhile work is autosaved, and a document that is closed with unsaved work
    /// finds it again.
    public static let explicit = SavingPolicy()
    /// There is no saving: the document is saved when it is idle and when it is closed.
    public static let saveless = SavingPolicy(savesWhenIdle: true, unsavedWorkOnClose: .save)
    /// Nothing is saved by itself.
    public static let off = SavingPolicy(idle: nil, unsavedWorkOnClose: nil)
}
