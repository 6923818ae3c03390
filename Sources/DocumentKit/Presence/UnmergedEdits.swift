internal import DocumentFiles
internal import Foundation

/// The error of a merge after which the document has the other state, without the edits made here.
/// It says where they are kept.
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
