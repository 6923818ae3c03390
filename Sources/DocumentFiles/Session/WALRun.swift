internal import FileSystem
internal import Foundation
internal import SQLiteStore

/// One run of a document's WAL: from the first commit on a main file that has everything, to the
/// checkpoint that brings all into it. Each commit notes it in the store.
///
/// By that a WAL is told from one that came to the store's place from elsewhere: a stale one, that
/// of a copy that was edited, one beside a main file that was put back. SQLite takes any of them
/// and shows a mixture.
package struct WALRun: Hashable, Sendable {
    /// Sixteen hexadecimal digits.
    package let id: String
    /// The commit that the main file was when the run began.
    let baseCounter: Int
    let baseCommitted: Date

    init(id: String, baseCounter: Int, baseCommitted: Date) {
        self.id = id
        self.baseCounter = baseCounter
        self.baseCommitted = baseCommitted
    }

    /// A new run on the main file that has this marker.
    init(on main: DocumentMarker) {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        self.init(
            id: "0000000000000000".dropLast(digits.count) + digits, baseCounter: main.counter,
            baseCommitted: main.committed)
    }

    /// Whether a WAL belongs to the main file that it lies beside.
    /// - Parameters:
    ///   - main: What the main file notes by itself. It may have taken up a part of the WAL
    ///     already, for a checkpoint that a crash cut short may have brought the page with the
    ///     marker.
    ///   - last: What is noted with the WAL.
    static func belongs(_ last: DocumentMarker, to main: DocumentMarker) -> Bool {
        // All of it is in the main file, or what it brings are commits that note nothing, as batch
        // requests make them.
        if last == main { return true }
        guard last.counter > main.counter, last.generation >= main.generation else { return false }
        // Of a program that did not note runs yet: the counter is all there is to go by.
        guard let run = last.journal else { return true }
        return run.id == main.journal?.id || (run.baseCounter == main.counter && run.baseCommitted == main.committed)
    }
}
