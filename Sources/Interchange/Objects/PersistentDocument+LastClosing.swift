package import Folio

extension PersistentDocument {
    /// Closes the document. Unsaved work that can't be treated as wanted is kept for the next
    /// opening.
    /// - Parameter work: The wanted treatment; nil for that of the policy.
    /// - Returns: The error of the wanted treatment if the work was kept instead.
    /// - Throws: The error of keeping the work; the document is open then. Or that of closing the
    ///   files; the document is closed then.
    package func closeKeepingWork(_ work: UnsavedWork?) async throws -> (any Error)? {
        do {
            if let work { try await close(work) } else { try await close() }
            return nil
        } catch {
            guard isOpen, work != .keep else { throw error }
            try await close(.keep)
            return error
        }
    }

    /// Closes the document for the last time, when nobody is left to decide. Unsaved work that
    /// can't be treated as wanted is kept. Work that can't be kept is lost, except for what was
    /// autosaved before: the document is then not closed, and has to be released as it is, so that
    /// the next opening finds that work.
    /// - Parameter work: The wanted treatment; nil for that of the policy.
    /// - Returns: The error if the work was not treated as wanted.
    package func closeForLastTime(_ work: UnsavedWork?) async -> (any Error)? {
        do { return try await closeKeepingWork(work) } catch {
            guard isOpen else { return error }
            stopBackgroundTasks()
            if !hasAutosavedWork { try? await close(.discard) }
            return error
        }
    }
}
