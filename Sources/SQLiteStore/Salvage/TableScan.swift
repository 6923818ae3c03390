import SQLiteKit

/// Goes through a table by its row numbers, around what can't be read: from both ends up to what is broken, then into the middle of what is left, and so on.
struct TableScan {
    let connection: Connection
    /// With its alias `t0`; its indexes are not used.
    let table: String
    /// What gives the row number.
    let key: String
    /// What is read of each row; the number comes before it.
    let columns: [String]
    /// The greatest number that was given out, where that is known.
    let highest: Int64?

    private static let batchSize = 1000
    /// A broken page in the upper part of a large table could keep the search busy for long.
    private static let mostProbes = 4000

    /// - Parameters:
    ///   - receive: Takes a row, its number in the first column.
    ///   - broken: Takes the number of a row whose cells can't be read all.
    /// - Returns: the ranges of numbers in which nothing can be read, ascending.
    func run(receive: (Statement) throws -> Void, broken: (Int64) throws -> Void) throws -> [ClosedRange<Int64>] {
        var probes = 0
        var unreadable: [ClosedRange<Int64>] = []
        var queue = [Int64.min...Int64.max]
        var next = 0
        while next < queue.count {
            let range = queue[next]
            next += 1
            guard probes < Self.mostProbes else {
                unreadable.append(range)
                continue
            }
            guard let low = try walk(range, ascending: true, &probes, receive, broken), low <= range.upperBound else { continue }
            guard let high = try walk(low...range.upperBound, ascending: false, &probes, receive, broken), high >= low else { continue }
            guard low < high else {
                unreadable.append(low...high)
                continue
            }
            let middle = middle(of: low...high)
            queue.append(low...middle)
            queue.append((middle + 1)...high)
        }
        return Self.merged(unreadable, upTo: highest)
    }

    /// Where to look next: among numbers that were given out, if the range has any.
    private func middle(of range: ClosedRange<Int64>) -> Int64 {
        var low = range.lowerBound, high = range.upperBound - 1
        if let highest, low <= 1, high > highest, highest >= 1 { return highest }
        if low < 0, high > 0 { return 0 }
        low = max(low, range.lowerBound)
        high = max(high, low)
        return low + (high - low) / 2
    }

    /// Neighbours in one; without numbers that were never given out.
    private static func merged(_ ranges: [ClosedRange<Int64>], upTo highest: Int64?) -> [ClosedRange<Int64>] {
        var result: [ClosedRange<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let low = max(range.lowerBound, 1), high = min(range.upperBound, highest ?? .max)
            guard low <= high else { continue }
            if let last = result.last, last.upperBound >= low - 1 {
                result[result.count - 1] = last.lowerBound...max(last.upperBound, high)
            } else {
                result.append(low...high)
            }
        }
        return result
    }

    /// Reads from one end of a range on.
    /// - Returns: the number at which something broken begins; nil where the other end was reached.
    private func walk(
        _ range: ClosedRange<Int64>, ascending: Bool, _ probes: inout Int, _ receive: (Statement) throws -> Void, _ broken: (Int64) throws -> Void
    ) throws -> Int64? {
        var edge = ascending ? range.lowerBound : range.upperBound
        func advance(past key: Int64) -> Bool {
            guard key != (ascending ? range.upperBound : range.lowerBound) else { return false }
            edge = ascending ? key + 1 : key - 1
            return true
        }
        while true {
            probes += 1
            let left = ascending ? edge...range.upperBound : range.lowerBound...edge
            var count = 0
            var last: Int64?
            let isWhole = try isReadable {
                try read(left, ascending, columns, limit: Self.batchSize) { row in
                    count += 1
                    last = row.int64(at: 0)
                    try receive(row)
                }
            }
            if let last, !advance(past: last) { return nil }
            if isWhole {
                if count < Self.batchSize { return nil }
                continue
            }
            // A row whose number can be read, though not all of its cells.
            var key: Int64?
            let rest = ascending ? edge...range.upperBound : range.lowerBound...edge
            let hasKey = try isReadable { try read(rest, ascending, [], limit: 1) { key = $0.int64(at: 0) } }
            guard hasKey, let key else { return edge }
            try broken(key)
            if !advance(past: key) { return nil }
        }
    }

    private func read(_ range: ClosedRange<Int64>, _ ascending: Bool, _ columns: [String], limit: Int, _ body: (Statement) throws -> Void) throws {
        let list = ([key] + columns).joined(separator: ", ")
        let sql = "SELECT \(list) FROM \(table) NOT INDEXED WHERE \(key) BETWEEN ? AND ? ORDER BY \(key) \(ascending ? "ASC" : "DESC") LIMIT \(limit)"
        try connection.withStatement(sql) { statement in
            try statement.bind([.integer(range.lowerBound), .integer(range.upperBound)])
            while try statement.step() { try body(statement) }
        }
    }

    /// Whether `body` meets no damage; other errors go on.
    private func isReadable(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }
}

extension SQLiteError {
    /// Whether the file, not the program or its surroundings, is what is wrong.
    var isDamage: Bool { code == .corrupt || code == .notADatabase || code == .inputOutput || code == .tooBig }
}
