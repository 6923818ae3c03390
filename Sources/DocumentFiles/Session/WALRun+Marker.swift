internal import Foundation

extension WALRun {
    /// Creates a new run for a main file with this marker.
    init(on main: DocumentMarker) {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        self.init(
            id: "0000000000000000".dropLast(digits.count) + digits, baseCounter: main.counter,
            baseCommitted: main.committed)
    }

    /// Whether a WAL belongs to the main file beside it.
    /// - Parameters:
    ///   - last: The marker of the last commit in the WAL.
    ///   - main: The marker of the main file. It may be from the WAL itself, if a crash interrupted
    ///     a checkpoint after the page with the marker was copied.
    static func belongs(_ last: DocumentMarker, to main: DocumentMarker) -> Bool {
        // Either the main file contains all of the WAL, or the WAL contains commits that don't
        // update the marker, such as batch requests.
        if last == main { return true }
        guard last.counter > main.counter, last.generation >= main.generation else { return false }
        // An older program that does not record runs wrote the commit, so only the counter can be
        // checked.
        guard let run = last.journal else { return true }
        return run.id == main.journal?.id || (run.baseCounter == main.counter && run.baseCommitted == main.committed)
    }
}
