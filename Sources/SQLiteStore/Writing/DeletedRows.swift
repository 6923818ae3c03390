import SQLiteKit

/// Rows to delete, found in primary key order by a scan of their table.
///
/// A row whose version differs from the one that was read is skipped. The caller detects it by the
/// number of deleted rows.
final class DeletedRows: RowSink {
    /// Primary keys and versions, alternating, in ascending order of the keys.
    private let keysAndVersions: [Int64]
    private var position = 0
    /// The number of rows that were found.
    private(set) var met = 0

    var count: Int { keysAndVersions.count / 2 }
    var first: Int64 { keysAndVersions[0] }
    var last: Int64 { keysAndVersions[keysAndVersions.count - 2] }
    /// Whether at least half of the keys between the first and the last are in the list, so that a
    /// scan visits at most as many other rows.
    var isDense: Bool { UInt64(bitPattern: last &- first) / 2 < UInt64(count) }

    /// - Parameter keysAndVersions: Primary keys and versions, alternating; not empty.
    init(_ keysAndVersions: [Int64]) {
        let isAscending = stride(from: 2, to: keysAndVersions.count, by: 2).allSatisfy {
            keysAndVersions[$0 - 2] < keysAndVersions[$0]
        }
        if isAscending {
            self.keysAndVersions = keysAndVersions
        } else {
            let pairs = stride(from: 0, to: keysAndVersions.count, by: 2).map {
                (keysAndVersions[$0], keysAndVersions[$0 + 1])
            }
            self.keysAndVersions = pairs.sorted { $0.0 < $1.0 }.flatMap { [$0.0, $0.1] }
        }
    }

    /// The row has a primary key and a version.
    func skips(_ row: SQLValues) -> Bool {
        let key = row[0].int64
        while position < keysAndVersions.count, keysAndVersions[position] < key { position += 2 }
        guard position < keysAndVersions.count, keysAndVersions[position] == key,
            keysAndVersions[position + 1] == row[1].int64
        else { return true }
        position += 2
        met += 1
        return false
    }

    /// Not called with data: the statement itself processes the rows.
    func take(_ row: SQLValues) -> Bool { true }
}
