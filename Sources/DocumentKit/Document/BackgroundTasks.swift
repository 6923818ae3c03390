internal import DocumentFiles
internal import FileSystem

/// What a document does by itself: autosaves, and looks at what other programs do to it. It runs
/// where the document's owner runs.
final class BackgroundTasks {
    private var tasks: [Task<Void, Never>] = []
    private var watch: FileWatcher.Watch?
    private let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let notices = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Events come in crowds, and a file that is being replaced may be missing for a moment.
    private static let noticeDelay = Duration.milliseconds(100)

    func stop() {
        for task in tasks { task.cancel() }
        tasks = []
        watch = nil
        changes.continuation.finish()
        notices.continuation.finish()
    }

    /// Something has to be saved.
    func noteChange() { changes.continuation.yield() }

    /// Watches the places where something happens when the document changes. Without watches left,
    /// changes are seen by saves alone.
    func watch(_ trace: DocumentTrace?) {
        guard let trace else { return }
        let notify = notices.continuation
        watch = try? FileWatcher.shared().watch(trace.places) { notify.yield() }
    }

    /// Calls `look` some time after something has happened at the places that are watched.
    func follow(isolation: isolated any Actor, _ look: @escaping () async -> Void) {
        let notices = notices.stream
        tasks.append(
            Task {
                _ = isolation
                for await _ in notices {
                    try? await Task.sleep(for: Self.noticeDelay)
                    guard !Task.isCancelled else { return }
                    await look()
                }
            })
    }

    /// Calls `save` some time after a change, with the moment at which it was noted, until that has
    /// nothing to wait for.
    /// - Parameters:
    ///   - idle: How long after the change.
    ///   - save: Says how long to wait before it is asked again; nil for nothing to wait for.
    func saveChanges(
        after idle: Duration, isolation: isolated any Actor,
        _ save: @escaping (_ begin: ContinuousClock.Instant) async -> Duration?
    ) {
        let changes = changes.stream
        tasks.append(
            Task {
                _ = isolation
                for await _ in changes {
                    let begin = ContinuousClock.now
                    var wait = idle
                    while !Task.isCancelled {
                        try? await Task.sleep(for: wait)
                        guard !Task.isCancelled else { return }
                        wait = await save(begin) ?? .zero
                        if wait == .zero { break }
                    }
                }
            })
    }
}
