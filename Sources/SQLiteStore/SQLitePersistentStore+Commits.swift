import FileSystem
import Foundation
package import Storage
import Synchronization

extension SQLitePersistentStore: CommitObservingStore {
    package func observeCommits(_ handler: @escaping @Sendable (PersistentHistoryToken?) -> Void) throws
        -> any CommitObservation
    {
        if description.isInMemory { return memoryObservers.add(handler) }
        // SQLite keeps its WAL and journal next to the file itself, not next to a symbolic link to
        // it.
        let observer = CommitObserver(self, file: URL(fileURLWithPath: path).resolvingSymlinksInPath().path, handler)
        do {
            try observer.begin()
        } catch let error as FileSystemError {
            throw StorageError(reading: error, path: path)
        }
        return observer
    }

    /// Tells of a commit to a store in memory.
    func tellMemoryCommit() {
        guard !memoryObservers.isEmpty else { return }
        memoryObservers.tell(try? currentHistoryToken())
    }

    /// The committed state; nil if the store was closed meanwhile.
    fileprivate func commitState(_ file: String) -> CommitObserver.CommittedState? {
        session.withLock { session in
            guard let session else { return nil }
            // A store that is read without locks has no state of its own, so the status of its
            // files is used.
            let state = (try? session.state()) ?? nil
            let files = state == nil ? ["", "-wal"].map { (try? Disk.status(of: file + $0)) ?? nil } : []
            return CommitObserver.CommittedState(
                state: state, files: files,
                token: (try? session.reading { try session.history.currentHistoryToken() }) ?? nil)
        }
    }
}

/// Checks a store after its files were written, and reports new commits.
private final class CommitObserver: CommitObservation {
    struct CommittedState: Equatable {
        let state: StoreState?
        let files: [FileStatus?]
        let token: PersistentHistoryToken?
    }

    private struct Progress {
        var last: CommittedState?
        var isLooking = false
        var watch: FileWatcher.Watch?
        var isCancelled = false
    }

    /// Writes within this time after the first one are reported together.
    private static let patience = DispatchTimeInterval.milliseconds(20)

    private weak let store: SQLitePersistentStore?
    private let file: String
    private let handler: @Sendable (PersistentHistoryToken?) -> Void
    private let progress: Mutex<Progress>

    init(_ store: SQLitePersistentStore, file: String, _ handler: @escaping @Sendable (PersistentHistoryToken?) -> Void)
    {
        self.store = store
        self.file = file
        self.handler = handler
        progress = Mutex(Progress(last: store.commitState(file)))
    }

    func begin() throws {
        let names = ["", "-wal", "-journal"].map { FilePath.name(file) + $0 }
        let place = FileWatcher.Place(FilePath.parent(file), names: Set(names), includesWrites: true)
        let watch = try FileWatcher.shared().watch([place]) { [weak self] in self?.wasWritten() }
        progress.withLock { $0.watch = watch }
        // Reports commits between the initial check and the start of the watch.
        wasWritten()
    }

    func cancel() {
        // Cancel outside the lock: the watcher may be calling this observer.
        let watch = progress.withLock { progress in
            progress.isCancelled = true
            return progress.watch.take()
        }
        watch?.cancel()
    }

    deinit { cancel() }

    private func wasWritten() {
        let isFirst = progress.withLock { progress in
            defer { progress.isLooking = true }
            return !progress.isLooking
        }
        guard isFirst else { return }
        // The watcher's thread serves the whole process and must not wait for a store.
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.look() }
    }

    private func look() {
        // Writes after this point schedule another check.
        progress.withLock { $0.isLooking = false }
        guard let state = store?.commitState(file) else { return }
        let isNew = progress.withLock { progress in
            guard !progress.isCancelled, progress.last != state else { return false }
            progress.last = state
            return true
        }
        if isNew { handler(state.token) }
    }
}
