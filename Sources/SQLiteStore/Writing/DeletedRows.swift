import SQLiteKit

/// Rows to delete, met in the order of their numbers by a scan of their table.
///
/// A row of another version than the one that was read is passed over: whoever counts what was
/// deleted finds out.
final class DeletedRows: RowSink {
    /// Numbers and versions in turn, by rising numbers.
    private let keysAndVersions: [Int64]
    private var position = 0
    /// How many were met.
    private(set) var met = 0

    var count: Int { keysAndVersions.count / 2 }
    var first: Int64 { keysAndVersions[0] }
    var last: Int64 { keysAndVersions[keysAndVersions.count - 2] }
    /// Whether at least every other number between the first and the last is one of them: a scan
    /// comes by at most as many others.
    var isDense: Bool { UInt64(bitPattern: last &- first) / 2 < UInt64(count) }

    /// - Parameter keysAndVersions: Numbers and versions in turn, not empty.
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

    /// Of a number and a version.
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

    /// Nothing comes here: the statement itself does what is to be done with a row.
    func take(_ row: SQLValues) -> Bool { true }
}
