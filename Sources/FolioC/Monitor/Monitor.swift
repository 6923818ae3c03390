internal import Dispatch
internal import Foundation
internal import Interchange

/// The lock of a document, which is also the executor of its actor: whoever has entered it may use
/// the document, on whatever thread.
///
/// Invariants:
/// 1. `owner` is the thread that is inside, 0 for none. Jobs run inside only.
/// 2. Where jobs wait and nobody is inside, either a thread that drives an operation waits for
///    them, or a thread of the library was asked to run them.
final class Monitor: SerialExecutor, @unchecked Sendable {
    // Sendable by proof: every stored variable is read and written with `mutex` locked, and what
    // the mutex and the condition point to lives as long as the monitor.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var owner: pthread_t = 0
    private var waiterCount = 0
    private var jobs: [UnownedJob] = []
    private var nextJob = 0
    private var driverCount = 0
    private var isDrainScheduled = false
    private var isNoticeDue = false
    private var notify: (@Sendable () -> Void)?
    /// The threads that are calling `notify`.
    private var notifyingThreads: [pthread_t] = []
    /// How often the document may have been changed. It is counted up before a change, so that what
    /// was read after a number was looked at is as new as that number. Hosts read it at any time.
    let changeCount = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)

    init() {
        changeCount.initialize(to: 0)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
        changeCount.deallocate()
    }

    // MARK: Entering

    /// Whether the calling thread is inside.
    var isInside: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return owner == pthread_self()
    }

    /// Enters, after those that are inside have left.
    /// - Parameter reading: Whether no value of an object and no relationship is changed inside.
    /// - Throws: a usage error for a thread that is inside already.
    func enter(reading: Bool = false) throws {
        let thread = pthread_self()
        pthread_mutex_lock(mutex)
        guard owner != thread else {
            pthread_mutex_unlock(mutex)
            throw InterchangeError.usage(
                "a function that the library called has called it for the same document",
                hint: "do it when the call has returned, or in a handler of folio_document_dispatch()")
        }
        if owner != 0 { wait { self.owner == 0 } }
        owner = thread
        if !reading { changeCount.pointee &+= 1 }
        pthread_mutex_unlock(mutex)
    }

    func leave() {
        pthread_mutex_lock(mutex)
        owner = 0
        let drains = schedulesDrain()
        let notify = takeNotice()
        if waiterCount > 0 { pthread_cond_broadcast(condition) }
        pthread_mutex_unlock(mutex)
        if drains { startDrain() }
        if let notify { call(notify) }
    }

    /// Waits, with the mutex locked, until a condition holds.
    private func wait(until isMet: () -> Bool) {
        waiterCount += 1
        while !isMet() { pthread_cond_wait(condition, mutex) }
        waiterCount -= 1
    }

    // MARK: Telling the host

    /// Sets what is called, outside, after ``noteNotice()``. Waits until no other thread is calling
    /// what was set before.
    func setNotify(_ notify: (@Sendable () -> Void)?) {
        let thread = pthread_self()
        pthread_mutex_lock(mutex)
        self.notify = notify
        wait { self.notifyingThreads.allSatisfy { $0 == thread } }
        pthread_mutex_unlock(mutex)
    }

    /// Has the host told, once the thread that is inside has left.
    func noteNotice() {
        pthread_mutex_lock(mutex)
        isNoticeDue = true
        pthread_mutex_unlock(mutex)
    }

    /// There is nothing to tell any more. The calling thread is inside.
    func forgetNotice() {
        pthread_mutex_lock(mutex)
        isNoticeDue = false
        pthread_mutex_unlock(mutex)
    }

    /// What the calling thread is to call, by ``call(_:)``. A notice waits while nobody is to be
    /// told.
    private func takeNotice() -> (@Sendable () -> Void)? {
        guard isNoticeDue, let notify else { return nil }
        isNoticeDue = false
        notifyingThreads.append(pthread_self())
        return notify
    }

    private func call(_ notify: @Sendable () -> Void) {
        notify()
        let thread = pthread_self()
        pthread_mutex_lock(mutex)
        if let index = notifyingThreads.firstIndex(of: thread) { notifyingThreads.remove(at: index) }
        if waiterCount > 0 { pthread_cond_broadcast(condition) }
        pthread_mutex_unlock(mutex)
    }

    // MARK: Jobs

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(mutex)
        jobs.append(job)
        let drains = schedulesDrain()
        if driverCount > 0, waiterCount > 0 { pthread_cond_broadcast(condition) }
        pthread_mutex_unlock(mutex)
        if drains { startDrain() }
    }

    func isIsolatingCurrentContext() -> Bool? { isInside }

    func checkIsolated() { precondition(isInside, "The document is used by a thread that has not entered it") }

    private var hasJobs: Bool { nextJob < jobs.count }

    private func takeJob() -> UnownedJob? {
        guard hasJobs else { return nil }
        changeCount.pointee &+= 1
        defer {
            nextJob += 1
            if nextJob == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                nextJob = 0
            }
        }
        return jobs[nextJob]
    }

    private func schedulesDrain() -> Bool {
        guard hasJobs, owner == 0, driverCount == 0, !isDrainScheduled else { return false }
        isDrainScheduled = true
        return true
    }

    /// Has a thread of the library run the jobs that wait.
    private func startDrain() {
        DispatchQueue.global().async { [self] in
            pthread_mutex_lock(mutex)
            isDrainScheduled = false
            if owner != 0 { wait { self.owner == 0 } }
            owner = pthread_self()
            while let job = takeJob() {
                pthread_mutex_unlock(mutex)
                job.runSynchronously(on: asUnownedSerialExecutor())
                pthread_mutex_lock(mutex)
            }
            pthread_mutex_unlock(mutex)
            leave()
        }
    }

    /// Runs jobs on the calling thread, which is inside, until `isDone`, which is asked inside, or
    /// with the mutex locked while nobody is inside. While there is none to run, others may enter.
    func runJobs(until isDone: () -> Bool) {
        let thread = pthread_self()
        pthread_mutex_lock(mutex)
        driverCount += 1
        while !isDone() {
            if let job = takeJob() {
                pthread_mutex_unlock(mutex)
                job.runSynchronously(on: asUnownedSerialExecutor())
                pthread_mutex_lock(mutex)
                continue
            }
            owner = 0
            let notify = takeNotice()
            if waiterCount > 0 { pthread_cond_broadcast(condition) }
            if let notify {
                pthread_mutex_unlock(mutex)
                call(notify)
                pthread_mutex_lock(mutex)
            }
            wait { self.owner == 0 && (self.hasJobs || isDone()) }
            owner = thread
        }
        driverCount -= 1
        // Another driver may wait for the jobs that this one leaves.
        if waiterCount > 0 { pthread_cond_broadcast(condition) }
        pthread_mutex_unlock(mutex)
    }
}

/// The actor that a document's asynchronous operations belong to. It has no state of its own: that
/// is in the document's handle, and used inside the monitor.
actor DocumentActor {
    nonisolated let monitor: Monitor

    init(_ monitor: Monitor) { self.monitor = monitor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { monitor.asUnownedSerialExecutor() }
}
