internal import Foundation
internal import SQLiteStore
internal import Storage

/// Reading in several steps what was committed at one moment.
extension DocumentSession {
    /// Keeps whatever is read from here on to what is committed now. Where no lock can do that,
    /// reading throws as soon as others have committed.
    /// - Throws: `DocumentError.changed` where somebody has committed since the session began.
    package func hold() throws {
        guard let sqliteStore else { return }
        try sqliteStore.holdState()
        guard let marker, try DocumentMarker(sqliteStore.metadata())?.counter != marker.counter else { return }
        throw DocumentError(.changed, "the document was saved by another program while it was opened", path: path)
    }
}
