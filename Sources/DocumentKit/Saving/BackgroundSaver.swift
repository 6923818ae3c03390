internal import DocumentFiles
internal import ObjectGraph

/// Saves or autosaves a document when its policy requires it.
final class BackgroundSaver {
    private let policy: SavingPolicy
    /// The end of the last save.
    private var last: ContinuousClock.Instant?
    /// The time after which nothing was edited, to the accuracy of ``interval``.
    private var lastEdit: ContinuousClock.Instant?

    init(_ policy: SavingPolicy) { self.policy = policy }

    /// The time between two looks at a document that is being edited; nil for no autosaves.
    var interval: Duration? { policy.idle.map { max($0 / 4, .milliseconds(1)) } }

    /// Saves or autosaves the document if that is due now.
    /// - Parameters:
    ///   - begin: The time of the first unsaved change.
    ///   - errorHandler: Called with an error; the save is tried again later.
    /// - Returns: The delay until the next call; nil if nothing has to be autosaved.
    func saveIfDue(
        _ document: OpenDocument, by saver: DocumentSaver, since begin: ContinuousClock.Instant,
        errorHandler: (any Error) -> Void
    ) async -> Duration? {
        guard let idle = policy.idle, let interval, document.isOpen, document.state.isEditing else { return nil }
        let hadEvent = document.edits.isEditedSinceLook(at: document.context.edits.position)
        document.context.processWithinStep()
        document.edits.didLook(at: document.context.edits.position)
        let now = ContinuousClock.now
        if hadEvent { lastEdit = now }
        let quiet = lastEdit.map { $0.duration(to: now) } ?? idle
        if quiet < idle, begin.duration(to: now) < policy.maximumDelay { return min(interval, idle - quiet) }
        if let last, last.duration(to: now) < policy.minimumInterval {
            return policy.minimumInterval - last.duration(to: now)
        }
        do {
            try await save(document, by: saver)
            last = .now
        } catch is CancellationError {
            return nil
        } catch {
            last = .now
            errorHandler(error)
            return max(policy.minimumInterval, idle)
        }
        // Discardable changes stay in the context, and `firstChangeHandler` is not called for
        // further changes while there are any, so keep polling.
        return document.isOpen && document.context.hasChanges ? idle : nil
    }

    private func save(_ document: OpenDocument, by saver: DocumentSaver) async throws {
        // Autosave even if all changes are undone, so that a crash does not recover the undone
        // work.
        guard document.hasUnsavedChanges || document.state.hasAutosavedWork, document.outsideChange == nil else {
            return
        }
        let hasLevels = document.state.marker != nil
        if policy.savesWhenIdle, !document.isUntitled {
            do {
                return try await document.exclusively { try await saver.save() }
            } catch let error where hasLevels && !(error is DocumentError) && !(error is CancellationError) {
                // The changes are not valid yet: autosave them below.
            }
        }
        if hasLevels { try await document.exclusively { try await saver.autosave() } }
    }
}
