internal import Glibc
internal import Synchronization

/// Huge pages for memory that is about to be filled: the system hands out one instead of 512, in a fifth of the time.
///
/// That is so where there is memory behind the page. A virtual machine may have to ask its host for it, which takes ten times as long as small pages that lie at hand; so the first
/// huge page of each piece is timed, and after a slow one small pages are used for a while.
enum HugePages {
    static let size = 2 << 20
    /// Several times what a huge page takes that is there, in nanoseconds of this thread's processor time.
    private static let slow = 1_000_000
    /// So many pieces go without after a slow one.
    private static let pause = 256
    private static let waiting = Atomic<Int>(0)

    /// Asks for a piece of memory in huge pages; it begins where one can begin. A hint: where there are none the memory comes as it always does.
    static func prepare(_ memory: UnsafeMutableRawPointer, _ byteCount: Int) {
        if waiting.load(ordering: .relaxed) > 0 {
            // Several threads may count at once, and the pause be somewhat shorter.
            waiting.subtract(1, ordering: .relaxed)
            return
        }
        madvise(memory, byteCount, MADV_HUGEPAGE)
        let start = processorTime()
        HeapRoom.populate(memory, min(byteCount, size))
        if processorTime() - start > slow {
            waiting.store(pause, ordering: .relaxed)
            madvise(memory, byteCount, MADV_NOHUGEPAGE)
        }
    }

    private static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
