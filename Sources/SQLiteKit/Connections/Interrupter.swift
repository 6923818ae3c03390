internal import CSQLite
internal import Synchronization

/// Interrupts a connection from any thread. Has no effect once the connection is closed.
package final class Interrupter: Sendable {
    // An address instead of a pointer, because a pointer is not Sendable. SQLite permits this call
    // from any thread while the connection is open, which the lock ensures.
    private let address: Mutex<UInt>

    init(_ handle: OpaquePointer) { address = Mutex(UInt(bitPattern: handle)) }

    package func interrupt() {
        address.withLock { address in
            guard let handle = OpaquePointer(bitPattern: address) else { return }
            sqlite3_interrupt(handle)
        }
    }

    func disconnect() { address.withLock { $0 = 0 } }

    /// Closes the connection, which must not be interrupted once it is freed. If closing fails, it
    /// can still be interrupted.
    func disconnecting(_ close: () -> Int32) -> Int32 {
        address.withLock { address in
            let result = close()
            if result == SQLITE_OK { address = 0 }
            return result
        }
    }
}
