import Dispatch
import Folio
import Foundation
import Synchronization

/// The pipe that signal handlers write to, which must be global. It is set before the handlers are
/// installed, and never closed.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// Handles Ctrl-C, SIGTERM and SIGHUP: the command is cancelled, and ended if it does not stop.
///
/// While a document is being written (`committing`), the signal is deferred. The write is atomic,
/// and reporting "interrupted" after it has happened would be wrong.
final class Interruption: UnfinishedFiles {
    private struct State: Sendable {
        /// The first signal that was received.
        var signal: Int32?
        var isCommitting = false
        /// The paths of unfinished output files, which are removed at the end.
        var leftovers: Set<String> = []
        /// The pager that shows the output.
        var pager: pid_t?
    }

    private let state = Mutex(State())

    /// Starts listening for signals. `cancel` asks the command to stop. SIGPIPE is ignored, so that
    /// writers handle the error and temporary folders are removed.
    /// - Returns: The listener, which must be retained; nil if no pipe can be created. Signals then
    ///   end the process with their default action.
    func begin(cancel: @escaping @Sendable () -> Void) -> (any DispatchSourceRead)? {
        Foundation.signal(SIGPIPE, SIG_IGN)
        guard let reading = Self.signals else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
        source.setEventHandler { [self] in
            var number: UInt8 = 0
            while read(reading, &number, 1) == 1 { interrupt(Int32(number), cancel) }
        }
        // Dispatch opens its own descriptors on another thread, and traps if there are none left.
        let registered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { registered.signal() }
        source.resume()
        registered.wait()
        // Signals that are ignored at the start, as in the background or under nohup, stay ignored.
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { Self.tell(of: number) }
        return source
    }

    /// The reading end of the signal pipe.
    private static let signals: Int32? = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        signalPipe = ends[1]
        return ends[0]
    }()

    private func interrupt(_ number: Int32, _ cancel: () -> Void) {
        let (isSecond, isPaging) = state.withLock { state in
            defer { state.signal = state.signal ?? number }
            return (state.signal != nil, state.pager != nil)
        }
        cancel()
        // Ctrl-C is a command of the pager as well, which goes on until the user ends it.
        if number == SIGINT, isPaging { return }
        if isSecond { end() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { self.end() }
        // Programs that terminate processes do not wait forever. An interrupted write is finished
        // or undone by the next opening.
        if number != SIGINT {
            DispatchQueue.global().asyncAfter(deadline: .now() + 5) { self.end(evenCommitting: true) }
        }
    }

    /// Installs a handler that writes the signal to the pipe. Early signals wait in the pipe, while
    /// a dispatch source of signals would lose those that arrive before it is set up.
    private static func tell(of number: Int32) {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(signalPipe, &byte, 1)
            errno = error
        }
        sigaction(number, &action, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The signal that asked the command to stop; nil if there was none.
    var signal: Int32? { state.withLock { $0.signal } }

    /// - Throws: `CancellationError` after an interruption.
    func check() throws {
        if signal != nil { throw CancellationError() }
    }

    /// Runs the step that changes a document, unless the command was interrupted before.
    func committing<Result>(_ body: () async throws -> Result) async throws -> Result {
        try beginCommitting()
        defer { state.withLock { $0.isCommitting = false } }
        return try await body()
    }

    /// Runs the step of longer work that changes a document, like `committing`.
    func committingStep(_ body: () throws -> Void) throws {
        try beginCommitting()
        defer { state.withLock { $0.isCommitting = false } }
        try body()
    }

    private func beginCommitting() throws {
        try state.withLock { state in
            if state.signal != nil { throw CancellationError() }
            state.isCommitting = true
        }
    }

    /// Runs the cleanup of a failed step. It is short, and signals are deferred.
    func clearingUp(_ body: () async -> Void) async {
        state.withLock { $0.isCommitting = true }
        defer { state.withLock { $0.isCommitting = false } }
        await body()
    }

    func pagerBegan(_ process: pid_t) { state.withLock { $0.pager = process } }
    func pagerEnded() { state.withLock { $0.pager = nil } }

    func addLeftover(_ path: String) { state.withLock { _ = $0.leftovers.insert(path) } }
    func removeLeftover(_ path: String) { state.withLock { _ = $0.leftovers.remove(path) } }

    /// Ends the process, unless it is in the middle of a write.
    private func end(evenCommitting: Bool = false) {
        let ending: State? = state.withLock { $0.isCommitting && !evenCommitting ? nil : $0 }
        guard let ending else { return }
        // The pager gives the terminal back. Its exit status stays for the thread that waits for
        // it.
        if let pager = ending.pager {
            kill(pager, SIGTERM)
            var information = siginfo_t()
            while waitid(P_PID, id_t(pager), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        }
        for path in ending.leftovers { unlink(path) }
        TemporaryFiles.removeAll(includingLocks: !ending.isCommitting)
        _exit(ExitCode.ended(by: ending.signal ?? SIGINT).rawValue)
    }
}
