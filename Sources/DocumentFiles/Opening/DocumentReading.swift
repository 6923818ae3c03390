internal import FileSystem
internal import Foundation

/// Repeats reads that failed because another program changed the document meanwhile.
package enum DocumentReading {
    /// The number of attempts before the error is thrown.
    package static let attempts = 20
    /// The number of attempts for a document whose files are replaced by others.
    private static let attemptsAtFiles = 5

    /// Waits after a failed attempt, counted from 1. The delay is random, so that an attempt falls
    /// between two saves of a program that saves repeatedly.
    ///
    /// Blocks the thread: a timer of Dispatch needs a file descriptor, and ends the process if
    /// there is none.
    package static func wait(after attempt: Int) {
        Thread.sleep(forTimeInterval: Double.random(in: 0...0.01 * Double(attempt)))
    }

    /// Runs `body`, which inspects a document without its lock, and repeats it if an editor has
    /// moved files of the document meanwhile.
    static func retryingWhileChanging<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        var left = attemptsAtFiles
        while true {
            left -= 1
            let before = try Disk.identity(of: LinkResolution.resolve(path))
            do {
                return try body()
            } catch {
                // The document was replaced while it was read, or its working set was removed when
                // its editor closed it.
                let after = try Disk.identity(of: LinkResolution.resolve(path))
                if left > 0, after != before || (error as? DocumentError)?.code == .notFound && after != nil {
                    continue
                }
                throw error
            }
        }
    }

    /// Opens one state of a document for reading, runs `body` on it, and closes it. Repeats all of
    /// this if another program changed the document meanwhile.
    static func readingOneState<Result>(
        _ path: String, _ state: DocumentState, model: ModelChoice,
        _ body: (DocumentSession) throws -> Result
    ) throws -> Result {
        try repeating {
            // The working set of an archive may be removed when its editor closes it.
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
                wait(after: attempt)
                attempt += 1
            }
        }
    }
}
