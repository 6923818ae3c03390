internal import DocumentFiles
internal import ObjectGraph

/// Saves or autosaves a document when its policy says that this is due.
final class BackgroundSaver {
    private let policy: SavingPolicy
    private var last: ContinuousClock.Instant?

    init(_ policy: SavingPolicy) { self.policy = policy }

    /// - Parameters:
    ///   - begin: When the changes began that are unsaved.
    ///   - errorHandler: Told of what fails; it is tried again.
    /// - Returns: How long to wait before asking again, nil where nothing waits to be autosaved.
    func saveIfDue(
        _ document: OpenDocument, by saver: DocumentSaver, since begin: ContinuousClock.Instant,
        errorHandler: (any Error) -> Void
    ) async -> Duration? {
        guard let idle = policy.idle, document.isOpen, document.state.isEditing else { return nil }
        let hadEvent = document.edits.isEditedSinceLook(at: document.context.editPosition)
        document.context.processPendingChanges()
        document.edits.didLook(at: document.context.editPosition)
        let now = ContinuousClock.now
        if hadEvent, begin.duration(to: now) < policy.maximumDelay { return idle }
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
        // Changes that are worth no save stay, and tell no more when others come.
        return document.isOpen && document.context.hasChanges ? idle : nil
    }

    private func save(_ document: OpenDocument, by saver: DocumentSaver) async throws {
        // What was autosaved and is undone again is not to come back by a crash.
        guard document.hasUnsavedChanges || document.state.hasAutosavedWork, document.outsideChange == nil else {
            return
        }
        let hasLevels = document.state.marker != nil
        if policy.savesWhenIdle, !document.isUntitled {
            do {
                return try await document.exclusively { try await saver.save() }
            } catch let error where hasLevels && !(error is DocumentError) && !(error is CancellationError) {
                // What is not valid yet is kept as it is.
            }
        }
        if hasLevels { try await document.exclusively { try await saver.autosave() } }
    }
}
