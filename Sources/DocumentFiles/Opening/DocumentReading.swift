internal import FileSystem
internal import Foundation

/// Reading again what other programs changed while it was read, and no lock held them off.
package enum DocumentReading {
    /// How often it is read before that is an error.
    package static let attempts = 20
    /// How often a document that others replace is looked at again before that is an error.
    private static let attemptsAtFiles = 5

    /// How long to wait after a failed attempt, counted from 1: whoever saves again and again is to
    /// be met between two saves.
    package static func pause(after attempt: Int) -> Duration { .milliseconds(Int.random(in: 0...10 * attempt)) }

    /// Runs `body`, which looks at a document without its lock, again where an editor has moved its
    /// files meanwhile.
    static func retryingWhileChanging<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        var left = attemptsAtFiles
        while true {
            left -= 1
            let before = try Disk.identity(of: LinkResolution.resolve(path))
            do {
                return try body()
            } catch {
                // A document that was put in its place meanwhile was read half and half. The
                // working set of one that is there still may have gone with its editor.
                let after = try Disk.identity(of: LinkResolution.resolve(path))
                if left > 0, after != before || (error as? DocumentError)?.code == .notFound && after != nil {
                    continue
                }
                throw error
            }
        }
    }

    /// Opens one state of a document for reading, runs `body` on it and closes it; all of it again
    /// where another program changed the document meanwhile and no lock held it off.
    static func readingOneState<Result>(
        _ path: String, _ state: DocumentState, model: ModelChoice,
        _ body: (DocumentSession) throws -> Result
    ) throws -> Result {
        try repeating {
            // The working set of an archive may go with its editor.
            try retryingWhileChanging(at: path) {
                let session = try DocumentSession.read(path, state, model: model)
                defer { try? session.close() }
                return try DocumentError.stage(.reading, session.path) {
                    try session.hold()
                    return try body(session)
                }
            }
        }
    }

    static func repeating<Result>(_ body: () throws -> Result) throws -> Result {
        var attempt = 1
        while true {
            do { return try body() } catch  where attempt < attempts && DocumentError.tellsOfChange(error) {
                Thread.sleep(forTimeInterval: pause(after: attempt) / .seconds(1))
                attempt += 1
            }
        }
    }
}
