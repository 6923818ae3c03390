// What `Synchronization.Mutex` does when it has to wait, for builds under the thread sanitizer.
//
// The waiting half of the lock lies in a library of the toolchain that the sanitizer does not see, and the kernel hands the lock over there: each contended lock is then reported
// as a race on what it guards. Linked into the tests, this function is found before the library's; it takes the lock in the open and says so. Nobody sleeps in it, so that letting go
// never needs the other half.
//
// Of the lock's layout it uses what is compiled into every program that has a `Mutex`: a word that is 0 while nobody holds it, and the thread's number while it does.

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

// Weak: host tools are linked with the same flags and without the sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));

__attribute__((swiftcall)) void waitForMutex(uint32_t thread, __attribute__((swift_context)) _Atomic(uint32_t) *holder)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void waitForMutex(uint32_t thread, __attribute__((swift_context)) _Atomic(uint32_t) *holder) {
    uint32_t nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(holder, &nobody, thread, memory_order_acquire, memory_order_relaxed)) {
        nobody = 0;
        sched_yield();
    }
    if (__tsan_acquire) __tsan_acquire(holder);
}
