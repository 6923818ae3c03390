import FileSystem
import SQLiteKit
import TestSupport
import Testing

/// A new database that is edited, with a table `t` of `a` and `b` and one row, whose `a` is 1.
func editing(_ path: String, _ prepare: (Connection) throws -> Void = { _ in }) throws -> Connection {
    let connection = try Connection(path, .create)
    try prepare(connection)
    try connection.prepareForEditing()
    try connection.execute("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, '')")
    return connection
}

/// What the next program finds in it if this one is killed now: the values of `a`.
func valuesAfterKill(_ path: String) throws -> [Int64] {
    let copy = path + UniqueName.make()
    for suffix in ["", "-wal"] { try Disk.copyFile(path + suffix, to: copy + suffix) }
    let connection = try Connection(copy, .readWrite)
    #expect(try connection.value("PRAGMA integrity_check")?.text == "ok")
    return try connection.rows("SELECT a FROM t ORDER BY a").compactMap(\.first?.integer)
}
