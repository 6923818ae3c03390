internal import DocumentFiles

/// What the class and the owner of a document have a say in. All of it is called where the document
/// belongs.
struct DocumentHooks {
    /// The document's own check before a save.
    let validate: () throws -> Void
    /// What a save takes along beside the objects.
    let capturedParts: () throws -> CapturedParts
    /// Settles a conflict at once, where the class says how; nil where it does not.
    let resolveConflict: () async throws -> ResolvedConflict?
    let outsideChangeHandler: (OutsideChange) -> Void
}
