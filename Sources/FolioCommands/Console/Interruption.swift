import Dispatch
import Foundation
import Synchronization

/// What Ctrl-C does: the command is asked to stop, and ended if it does not.
///
/// While a document is being written (`committing`), the signal waits: the write is one step that is whole or not there at all, and an answer that says
/// "interrupted" after it happened would be wrong.
final class Interruption: Sendable {
    private struct State: Sendable {
        var isRequested = false
        var isCommitting = false
        /// Unfinished output files, removed at the end.
        var leftovers: Set<String> = []
    }

    private let state = Mutex(State())

    /// Begins to listen; `cancel` asks the command to stop.
    /// - Returns: what listens, as long as it is kept.
    func begin(cancel: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [self] in
            let isSecond = state.withLock { state in
                defer { state.isRequested = true }
                return state.isRequested
            }
            cancel()
            if isSecond { end() }
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) { self.end() }
        }
        source.resume()
        return source
    }

    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// - Throws: `CancellationError` once Ctrl-C was pressed.
    func check() throws {
        if isRequested { throw CancellationError() }
    }

    /// Runs the one step that changes a document, unless the command was interrupted before it.
    func committing<Result>(_ body: () async throws -> Result) async throws -> Result {
        try state.withLock { state in
            if state.isRequested { throw CancellationError() }
            state.isCommitting = true
        }
        defer { state.withLock { $0.isCommitting = false } }
        return try await body()
    }

    func addLeftover(_ path: String) { state.withLock { _ = $0.leftovers.insert(path) } }
    func removeLeftover(_ path: String) { state.withLock { _ = $0.leftovers.remove(path) } }

    /// Ends the process, unless it is in the middle of a write.
    private func end() {
        let leftovers: Set<String>? = state.withLock { $0.isCommitting ? nil : $0.leftovers }
        guard let leftovers else { return }
        for path in leftovers { unlink(path) }
        _exit(ExitCode.interrupted.rawValue)
    }
}
