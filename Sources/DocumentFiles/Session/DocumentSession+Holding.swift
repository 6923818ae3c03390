internal import Foundation
internal import SQLiteStore
internal import Storage

/// Reading one committed state in several steps.
extension DocumentSession {
    /// Makes all later reads see the currently committed state. If no lock can ensure this, reads
    /// throw after a commit of another program.
    /// - Throws: `DocumentError.changed` if another program has committed since the session began.
    package func hold() throws {
        guard let sqliteStore else { return }
        try sqliteStore.holdState()
        guard let marker, try DocumentMarker(sqliteStore.metadata())?.counter != marker.counter else { return }
        throw DocumentError(.changed, "the document was saved by another program while it was opened", path: path)
    }
}
