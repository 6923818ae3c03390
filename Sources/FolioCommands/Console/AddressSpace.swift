import Foundation

/// The address space of the process, which `ulimit -v` limits.
///
/// Where no thread can be started, the dispatch library tries again for ever, so that a command
/// would hang.
enum AddressSpace {
    /// What a command needs at least for its threads and its heap.
    private static let least = 64 << 20
    /// What a thread needs for its stack.
    private static let stack = 8 << 20
    /// The number of seconds for which nothing may happen while no thread can be started.
    private static let patience = 4

    static let error = InterchangeError(
        .inputOutput, "outOfMemory", "the limit of address space leaves too little", hint: "raise the limit: ulimit -v")

    static var isEnoughAvailable: Bool { hasRoom(for: least) }

    private static func hasRoom(for size: Int) -> Bool {
        let place = mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let place, place != MAP_FAILED else { return false }
        munmap(place, size)
        return true
    }

    private static var isLimited: Bool {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 && limit.rlim_cur < rlim_t(Int64.max)
    }

    /// Calls `end` when the process waits for a thread that can't be started. Has no effect where
    /// the address space is not limited.
    static func watch(_ end: @escaping @Sendable () -> Never) {
        guard isLimited else { return }
        let watcher = Thread {
            var last = processorTime, idle = 0
            while true {
                poll(nil, 0, 1000)
                let now = processorTime
                // The watcher itself takes less.
                idle = now - last < 5000 && !hasRoom(for: stack) ? idle + 1 : 0
                last = now
                if idle == patience { end() }
            }
        }
        watcher.stackSize = 256 << 10
        watcher.start()
    }

    /// The processor time of the process in microseconds.
    private static var processorTime: Int {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + $1.tv_sec * 1_000_000 + Int($1.tv_usec) }
    }
}
