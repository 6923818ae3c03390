internal import DocumentFiles
internal import Foundation

/// The document is the other state, and the edits of a merge could not be made on it: where they
/// are kept.
struct UnmergedEdits: Error {
    let kept: ResolvedConflict
    let cause: any Error

    func documentError(_ path: String?) -> DocumentError {
        let place =
            kept.copy.map { "they are in \($0.path)" }
            ?? kept.version.map { "they are version \($0.generation) of the document" }
        return DocumentError(
            .changed, "the edits could not be merged: \(cause)", path: path, hint: place, underlying: cause)
    }
}
