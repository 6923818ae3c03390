internal import DocumentFiles

/// The hooks of a document's class and owner. All of them are called in the isolation domain of the
/// document.
struct DocumentHooks {
    /// Validates the document as a whole before a save.
    let validate: () throws -> Void
    /// Captures the files and descriptions that a save writes beside the objects.
    let capturedParts: () throws -> CapturedParts
    /// Resolves a conflict if the class provides a resolution; returns nil otherwise.
    let resolveConflict: () async throws -> ResolvedConflict?
    let outsideChangeHandler: (OutsideChange) -> Void
}
