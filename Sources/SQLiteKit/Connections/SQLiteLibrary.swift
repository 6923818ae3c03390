internal import CSQLite

/// The SQLite library that this process uses.
package enum SQLiteLibrary {
    /// The version number: 3.40.1 is 3,040,001.
    package static var versionNumber: Int { Int(sqlite3_libversion_number()) }

    /// The version as text.
    package static var version: String { String(cString: sqlite3_libversion()) }

    /// Whether the library can lose commits if two connections write or checkpoint a WAL at the
    /// same moment (3.7.0 to 3.51.2). Folio avoids this by writing and checkpointing on one
    /// connection under the document's lock; other programs may not.
    package static var hasWALResetBug: Bool { hasWALResetBug(versionNumber) }

    package static func hasWALResetBug(_ version: Int) -> Bool {
        (3_007_000...3_051_002).contains(version)
    }

    /// Configures the library once per process: connections without their own mutexes, no memory
    /// statistics. If the application has used SQLite before, its configuration is kept.
    static func prepare() { _ = prepared }

    private static let prepared: Bool = {
        // Fails with SQLITE_MISUSE if the library is initialized already, which is harmless: it
        // then keeps the application's configuration.
        _ = folio_sqlite3_config(SQLITE_CONFIG_MULTITHREAD, 0)
        _ = folio_sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0)
        return sqlite3_initialize() == SQLITE_OK
    }()
}
