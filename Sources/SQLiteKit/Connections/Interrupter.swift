internal import CSQLite
internal import Synchronization

/// Stops what a connection is doing, from any thread; does nothing once the connection is closed.
package final class Interrupter: Sendable {
    // An address rather than a pointer, since only the address has to cross threads; SQLite allows
    // this one call from anywhere while the connection is open, and the lock keeps it so.
    private let address: Mutex<UInt>

    init(_ handle: OpaquePointer) { address = Mutex(UInt(bitPattern: handle)) }

    package func interrupt() {
        address.withLock { address in
            guard let handle = OpaquePointer(bitPattern: address) else { return }
            sqlite3_interrupt(handle)
        }
    }

    func disconnect() { address.withLock { $0 = 0 } }

    /// Runs what closes the connection, which must not be interrupted once it is freed; where it
    /// stays open it can be interrupted as before.
    func disconnecting(_ close: () -> Int32) -> Int32 {
        address.withLock { address in
            let result = close()
            if result == SQLITE_OK { address = 0 }
            return result
        }
    }
}
