internal import DocumentFiles

/// Determines when a document is saved or autosaved automatically.
///
/// ```swift
/// document.startBackgroundTasks(.saveless)
/// ```
public struct SavingPolicy: Sendable, Hashable {
    /// The time without changes after which the document is autosaved, to a quarter of it more; nil
    /// for no autosaves.
    public var idle: Duration?
    /// The minimum time between two autosaves.
    public var minimumInterval: Duration
    /// The maximum time from a change to the autosave if changes never pause.
    public var maximumDelay: Duration
    /// Whether valid changes are saved instead of autosaved.
    public var savesWhenIdle: Bool
    /// The treatment of unsaved work by `close()`; nil is the same as `keep`.
    public var unsavedWorkOnClose: PersistentDocument.UnsavedWork?

    /// Creates a policy. Use the static properties for common ones.
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

    /// The user saves. Changes are autosaved meanwhile, and recovered after the document was closed
    /// with unsaved work.
    public static let explicit = SavingPolicy()
    /// There is no command to save: the document is saved when it is idle and when it is closed.
    public static let saveless = SavingPolicy(savesWhenIdle: true, unsavedWorkOnClose: .save)
    /// Nothing is saved automatically.
    public static let off = SavingPolicy(idle: nil, unsavedWorkOnClose: nil)
}
