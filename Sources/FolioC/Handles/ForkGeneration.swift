internal import Foundation
internal import Interchange

/// The number of forks between the process that loaded the library and this one.
///
/// A process that was forked has copies of all handles, but none of the threads that work for them,
/// and shares the locks of open files with its parent. Its copies answer with an error, and freeing
/// one releases neither memory nor lock. It can't open documents: the threads that Dispatch and the
/// runtime of Swift had for that are gone, and are not started again.
enum ForkGeneration {
    // Written in a process that was forked before it has a second thread.
    nonisolated(unsafe) private(set) static var current: UInt32 = 0

    /// - Throws: a usage error in a process that was forked after the library was used.
    static func check() throws {
        guard current == 0 else {
            throw InterchangeError.usage(
                "the process was forked after the library was used, and has no threads to work with",
                hint: "start a new program, as posix_spawn() and Python's \"spawn\" do")
        }
    }

    /// Counts forks from the first call on, and keeps the table of handles whole while one takes
    /// place.
    static func observe() { _ = isObserved }

    private static let isObserved: Bool = {
        pthread_atfork({ HandleTable.lock.lock() }, { HandleTable.lock.unlock() }) {
            ForkGeneration.current += 1
            HandleTable.lock.unlock()
        }
        return true
    }()
}
