import Schema
import SQLiteKit

/// Something in a store that Core Data's layout does not allow for and that SQLite does not
/// prevent. Statements take account of it only where it was found, because most stores have none of
/// it.
enum Irregularity: Hashable {
    /// Cells that are not of the attribute's type, or not in the form that a store writes.
    case cells(table: String, column: String, CellReader.Kind)
    /// Rows of a hierarchy's table whose `Z_ENT` is none of these, in ascending order.
    case strangers(table: String, numbers: [Int64])
    /// Rows of a join table whose member does not exist.
    case links(join: String, member: String, table: String)

    /// A statement that returns a row if the store has the irregularity. It uses an index of the
    /// column where there is one.
    var search: SQLFragment {
        switch self {
        case .cells(let table, let column, let kind):
            .sql("SELECT 1 FROM \(name: table) WHERE \(Self.cell(.sql("\(name: column)"), isNot: kind)) LIMIT 1")
        case .strangers(let table, let numbers):
            .sql("SELECT 1 FROM \(name: table) WHERE \(Self.entity(.sql("Z_ENT"), isNot: numbers)) LIMIT 1")
        case .links(let join, let member, let table):
            .sql("SELECT 1 FROM \(name: join) WHERE \(name: member) NOT IN (SELECT Z_PK FROM \(name: table)) LIMIT 1")
        }
    }

    /// True for a cell that reads as another value than SQL compares. Numbers are less than text,
    /// and text is less than blobs, so most of these conditions are ranges.
    private static func cell(_ cell: SQLFragment, isNot kind: CellReader.Kind) -> SQLFragment {
        switch kind {
        case .int: .sql("\(cell) >= '' OR typeof(\(cell)) = 'real'")
        case .bool: .sql("\(cell) NOT IN (0, 1) OR typeof(\(cell)) <> 'integer' AND \(cell) IS NOT NULL")
        case .double: .sql("\(cell) >= ''")
        case .float: .sql("\(regular(cell, kind)) IS NOT \(cell)")
        case .decimal:
            .sql("\(cell) >= '' OR \(cell) > 1e120 OR \(cell) < -1e120 OR \(cell) <> 0 AND abs(\(cell)) < 1e-100")
        case .string: .sql("\(cell) < '' OR \(cell) >= x''")
        case .uuid: .sql("\(cell) < x'' OR length(\(cell)) <> 16")
        case .data, .large: .sql("\(cell) < x''")
        case .toOne: .sql("\(cell) <= 0 OR \(cell) >= '' OR typeof(\(cell)) = 'real'")
        case .composite: .sql("0")
        }
    }

    private static func entity(_ cell: SQLFragment, isNot numbers: [Int64]) -> SQLFragment {
        guard let first = numbers.first, let last = numbers.last else { return .sql("1") }
        var parts: [SQLFragment] = [
            .sql("\(cell) IS NULL"), .sql("\(cell) < \(value: .integer(first))"),
            .sql("\(cell) > \(value: .integer(last))"),
        ]
        for (lower, upper) in zip(numbers, numbers.dropFirst()) where lower + 1 < upper {
            parts.append(.sql("(\(cell) > \(value: .integer(lower)) AND \(cell) < \(value: .integer(upper)))"))
        }
        return parts.joined(" OR ")
    }

    /// The value of a cell as it is read; NULL for one that is not of its kind.
    static func regular(_ cell: SQLFragment, _ kind: CellReader.Kind) -> SQLFragment {
        .sql("FolioCell(\(cell), \(value: .integer(Int64(kind.rawValue))))")
    }
}
