internal import Foundation
internal import SQLiteStore
internal import Storage

/// Reading in several steps what was committed at one moment.
extension DocumentSession {
    /// Keeps whatever is read from here on to what is committed now. Where no lock can do that, reading throws as soon as others have committed.
    /// - Throws: `DocumentError.changed` where somebody has committed since the session began.
    package func hold() throws {
        guard let sqliteStore else { return }
        try sqliteStore.holdState()
        guard let marker, try DocumentMarker(sqliteStore.metadata())?.counter != marker.counter else { return }
        throw DocumentError(.changed, "the document was saved by another program while it was opened", path: path)
    }

    /// Opens one state of a document for reading, runs `body` on it and closes it; all of it again where another program changed the document meanwhile and no lock held it off.
    static func readingOneState<Result>(
        _ path: String, _ state: DocumentState, model: ModelResolver, _ body: (DocumentSession) throws -> Result
    ) throws -> Result {
        try DocumentReading.repeating {
            // The working set of an archive may go with its editor.
            try lookingAgain(at: path) {
                let session = try read(path, state, model: model)
                defer { try? session.close() }
                return try DocumentError.stage(.reading, session.path) {
                    try session.hold()
                    return try body(session)
                }
            }
        }
    }
}

/// Reading again what other programs changed while it was read, and no lock held them off.
package enum DocumentReading {
    /// How often it is read before that is an error.
    package static let attempts = 20

    /// How long to wait after a failed attempt, counted from 1: whoever saves again and again is to be met between two saves.
    package static func pause(after attempt: Int) -> Duration { .milliseconds(Int.random(in: 0...10 * attempt)) }

    static func repeating<Result>(_ body: () throws -> Result) throws -> Result {
        var attempt = 1
        while true {
            do { return try body() } catch where attempt < attempts && DocumentError.tellsOfChange(error) {
                Thread.sleep(forTimeInterval: pause(after: attempt) / .seconds(1))
                attempt += 1
            }
        }
    }
}
