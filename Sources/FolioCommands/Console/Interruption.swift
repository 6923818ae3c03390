import Dispatch
import Folio
import Foundation
import Synchronization

/// Where handlers put signals, which can have nothing but a global. Set before the handlers, and as
/// long as the process.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// What Ctrl-C does, and SIGTERM and SIGHUP do: the command is asked to stop, and ended if it does
/// not.
///
/// While a document is being written (`committing`), the signal waits: the write is one step that
/// is whole or not there at all, and an answer that says "interrupted" after it happened would be
/// wrong.
final class Interruption: Sendable {
    private struct State: Sendable {
        /// The first that came.
        var signal: Int32?
        var isCommitting = false
        /// Unfinished output files, removed at the end.
        var leftovers: Set<String> = []
    }

    private let state = Mutex(State())

    /// Begins to listen; `cancel` asks the command to stop. A closed pipe is left to those who
    /// write to it, so that what lies in temporary folders is cleared away.
    /// - Returns: what listens, as long as it is kept; nil where the system has no pipe to spare,
    ///   and signals end the process as they would by themselves.
    func begin(cancel: @escaping @Sendable () -> Void) -> (any DispatchSourceRead)? {
        Foundation.signal(SIGPIPE, SIG_IGN)
        guard let reading = Self.signals else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
        source.setEventHandler { [self] in
            var number: UInt8 = 0
            while read(reading, &number, 1) == 1 { interrupt(Int32(number), cancel) }
        }
        // Dispatch opens its own descriptors on another thread, and traps where there are none
        // left.
        let registered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { registered.signal() }
        source.resume()
        registered.wait()
        // What was ignored from the beginning, as in the background or under nohup, stays so.
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { Self.tell(of: number) }
        return source
    }

    /// Where signals are read.
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
        let isSecond = state.withLock { state in
            defer { state.signal = state.signal ?? number }
            return state.signal != nil
        }
        cancel()
        if isSecond { end() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { self.end() }
        // Whoever ends processes does not wait for ever: the next opening finishes or undoes what
        // is left half done.
        if number != SIGINT {
            DispatchQueue.global().asyncAfter(deadline: .now() + 5) { self.end(evenCommitting: true) }
        }
    }

    /// A handler that puts the signal into the pipe: one that comes before anybody listens waits
    /// there, where a dispatch source of signals loses what comes before it is set up.
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

    /// The signal that asked the command to stop; nil while none has.
    var signal: Int32? { state.withLock { $0.signal } }

    /// - Throws: `CancellationError` once Ctrl-C was pressed.
    func check() throws {
        if signal != nil { throw CancellationError() }
    }

    /// Runs the one step that changes a document, unless the command was interrupted before it.
    func committing<Result>(_ body: () async throws -> Result) async throws -> Result {
        try beginCommitting()
        defer { state.withLock { $0.isCommitting = false } }
        return try await body()
    }

    /// Runs the one step of longer work that changes a document, as `committing` does.
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

    /// Runs what takes back a step that failed. It is short, and a signal waits for it.
    func clearingUp(_ body: () async -> Void) async {
        state.withLock { $0.isCommitting = true }
        defer { state.withLock { $0.isCommitting = false } }
        await body()
    }

    func addLeftover(_ path: String) { state.withLock { _ = $0.leftovers.insert(path) } }
    func removeLeftover(_ path: String) { state.withLock { _ = $0.leftovers.remove(path) } }

    /// Ends the process, as a rule unless it is in the middle of a write.
    private func end(evenCommitting: Bool = false) {
        let ending: State? = state.withLock { $0.isCommitting && !evenCommitting ? nil : $0 }
        guard let ending else { return }
        for path in ending.leftovers { unlink(path) }
        PersistentDocument.removeTemporaryFiles(includingLocks: !ending.isCommitting)
        _exit(ExitCode.ended(by: ending.signal ?? SIGINT).rawValue)
    }
}
