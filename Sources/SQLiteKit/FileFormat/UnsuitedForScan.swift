/// Rows can't be read from their pages, and are left to SQLite.
struct UnsuitedForScan: Error {}
