import Dispatch
import Folio
import Foundation
import Synchronization

/// What Ctrl-C does, and SIGTERM and SIGHUP do: the command is asked to stop, and ended if it does not.
///
/// While a document is being written (`committing`), the signal waits: the write is one step that is whole or not there at all, and an answer that says
/// "interrupted" after it happened would be wrong.
final class Interruption: Sendable {
    private struct State: Sendable {
        /// The first that came.
        var signal: Int32?
        var isCommitting = false
        /// Unfinished output files, removed at the end.
        var leftovers: Set<String> = []
    }

    private let state = Mutex(State())

    /// Begins to listen; `cancel` asks the command to stop. A closed pipe is left to those who write to it, so that what lies in temporary folders is cleared away.
    /// - Returns: what listens, as long as it is kept.
    func begin(cancel: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        Self.ignore(SIGPIPE)
        // What was ignored from the beginning, as in the background or under nohup, stays so.
        return [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }.map { number in
            Self.ignore(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                let isSecond = state.withLock { state in
                    defer { state.signal = state.signal ?? number }
                    return state.signal != nil
                }
                cancel()
                if isSecond { end() }
                DispatchQueue.global().asyncAfter(deadline: .now() + 1) { self.end() }
                // Whoever ends processes does not wait for ever: the next opening finishes or undoes what is left half done.
                if number != SIGINT { DispatchQueue.global().asyncAfter(deadline: .now() + 5) { self.end(evenCommitting: true) } }
            }
            source.resume()
            return source
        }
    }

    private static func ignore(_ number: Int32) { Foundation.signal(number, SIG_IGN) }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The signal that asked the command to stop; nil while none has.
    var signal: Int32? { state.withLock { $0.signal } }

    /// - Throws: `CancellationError` once Ctrl-C was pressed.
    func check() throws {
        if signal != nil { throw CancellationError() }
    }

    /// Runs the one step that changes a document, unless the command was interrupted before it.
    func committing<Result>(_ body: () async throws -> Result) async throws -> Result {
        try state.withLock { state in
            if state.signal != nil { throw CancellationError() }
            state.isCommitting = true
        }
        defer { state.withLock { $0.isCommitting = false } }
        return try await body()
    }

    func addLeftover(_ path: String) { state.withLock { _ = $0.leftovers.insert(path) } }
    func removeLeftover(_ path: String) { state.withLock { _ = $0.leftovers.remove(path) } }

    /// Ends the process, as a rule unless it is in the middle of a write.
    private func end(evenCommitting: Bool = false) {
        let ending: (leftovers: Set<String>, signal: Int32)? = state.withLock { $0.isCommitting && !evenCommitting ? nil : ($0.leftovers, $0.signal ?? SIGINT) }
        guard let ending else { return }
        for path in ending.leftovers { unlink(path) }
        PersistentDocument.removeTemporaryFiles()
        _exit(ExitCode.ended(by: ending.signal).rawValue)
    }
}
