internal import Glibc
internal import Synchronization

/// Reports that files and folders may have changed. Listeners must examine the files themselves:
/// events are only a hint.
///
///     let watch = try FileWatcher.shared().watch([.init("/home/ada", names: ["Name.folio"])]) { … look … }
///
/// One inotify instance and one thread serve the whole process, because both are limited.
///
/// Invariants:
/// 1. A watch descriptor is in `places` as long as the kernel has it, with at least one listener.
/// 2. Handlers are called on the watcher's thread, without its lock held.
package final class FileWatcher: Sendable {
    /// A path that is watched.
    package struct Place: Sendable, Hashable {
        package var path: String
        /// For a folder, the names in it that are of interest; nil for all. Events of the folder
        /// itself are always reported.
        package var names: Set<String>?
        /// Whether every write to the files is reported, not only closing, renaming and removing
        /// them.
        package var includesWrites: Bool

        package init(_ path: String, names: Set<String>? = nil, includesWrites: Bool = false) {
            self.path = path
            self.names = names
            self.includesWrites = includesWrites
        }
    }

    /// An active watch. It ends when it is cancelled or released.
    package final class Watch: Sendable {
        private let watcher: FileWatcher
        private let number: Int

        fileprivate init(_ watcher: FileWatcher, _ number: Int) {
            self.watcher = watcher
            self.number = number
        }

        package func cancel() { watcher.cancel(number) }
        deinit { cancel() }
    }

    private struct Listener {
        var names: [Int32: Set<String>?] = [:]
        /// The watches for which writes are reported.
        var writes: Set<Int32> = []
        let handler: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var places: [Int32: Set<Int>] = [:]
        var lastNumber = 0
    }

    private static let one = Mutex<FileWatcher?>(nil)
    private static let events = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    )
    /// The kernel returns complete events only. The buffer has space for many events with names of
    /// maximum length.
    private static let bufferSize = 64 << 10

    private let descriptor: Int32
    private let state = Mutex(State())

    /// The watcher of this process, created at first use.
    /// - Throws: `.tooManyOpenFiles` if the user has no inotify instances left.
    package static func shared() throws -> FileWatcher {
        try one.withLock { watcher in
            if let watcher { return watcher }
            let made = try FileWatcher()
            watcher = made
            return made
        }
    }

    private init() throws {
        descriptor = try Int32(perform(.watch, "inotify") { negated(inotify_init1(Int32(IN_CLOEXEC))) })
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let answer = pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<FileWatcher>.fromOpaque(raw).takeRetainedValue().listen()
                return nil
            }, context.toOpaque())
        guard answer == 0 else {
            context.release()
            throw FileSystemError(operation: "watch", path: "inotify", errno: answer)
        }
        pthread_detach(thread)
    }

    deinit { _ = close(descriptor) }

    /// Calls `handler` after events at one of the places, until the result is released. Places that
    /// do not exist are ignored.
    /// - Throws: `.noSpace` if the user has no watches left.
    package func watch(_ places: [Place], _ handler: @escaping @Sendable () -> Void) throws -> Watch {
        // The lock is held so that no event is dispatched before its listener is registered.
        try state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            var listener = Listener(handler: handler)
            do {
                for place in places {
                    guard let watch = try add(place) else { continue }
                    if place.includesWrites { listener.writes.insert(watch) }
                    // A folder may be listed twice with different names.
                    let names =
                        listener.names[watch].map { old in old.flatMap { old in place.names.map { old.union($0) } } }
                        ?? place.names
                    listener.names[watch] = .some(names)
                    state.places[watch, default: []].insert(number)
                }
            } catch {
                state.listeners[number] = listener
                remove(number, &state)
                throw error
            }
            state.listeners[number] = listener
            return Watch(self, number)
        }
    }

    private func add(_ place: Place) throws -> Int32? {
        let events = Self.events | UInt32(IN_DONT_FOLLOW | IN_MASK_ADD) | (place.includesWrites ? UInt32(IN_MODIFY) : 0)
        do {
            return try withPath(place.path) { name in
                try Int32(perform(.watch, place.path) { negated(inotify_add_watch(descriptor, name, events)) })
            }
        } catch let error as FileSystemError where error.code == .notFound || error.code == .notDirectory {
            return nil
        }
    }

    private func cancel(_ number: Int) {
        // The listener is released outside the lock, because its handler may own another watch
        // whose release takes the lock.
        _ = state.withLock { remove(number, &$0) }
    }

    @discardableResult
    private func remove(_ number: Int, _ state: inout State) -> Listener? {
        guard let listener = state.listeners.removeValue(forKey: number) else { return nil }
        for watch in listener.names.keys {
            state.places[watch]?.remove(number)
            guard state.places[watch]?.isEmpty == true else { continue }
            state.places[watch] = nil
            _ = inotify_rm_watch(descriptor, watch)
        }
        return listener
    }

    // MARK: Thread

    private func listen() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.bufferSize, alignment: MemoryLayout<inotify_event>.alignment)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            dispatch(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private func dispatch(_ bytes: UnsafeRawBufferPointer) {
        let handlers = state.withLock { state in
            var called: Set<Int> = []
            var offset = 0
            while offset + MemoryLayout<inotify_event>.size <= bytes.count {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let start = offset + MemoryLayout<inotify_event>.size
                let name = String(decoding: bytes[start..<start + Int(event.len)].prefix { $0 != 0 }, as: UTF8.self)
                offset = start + Int(event.len)
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    called.formUnion(state.listeners.keys)
                    continue
                }
                for number in state.places[event.wd] ?? [] {
                    // The watch may report writes because another listener asked for them.
                    if event.mask & ~UInt32(IN_MODIFY) == 0, state.listeners[number]?.writes.contains(event.wd) != true
                    {
                        continue
                    }
                    let names = state.listeners[number]?.names[event.wd] ?? nil
                    if name.isEmpty || names?.contains(name) ?? true { called.insert(number) }
                }
                if event.mask & UInt32(IN_IGNORED) != 0 { state.places[event.wd] = nil }
            }
            return called.sorted().compactMap { state.listeners[$0]?.handler }
        }
        for handler in handlers { handler() }
    }
}
