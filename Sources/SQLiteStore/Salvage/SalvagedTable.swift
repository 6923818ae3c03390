import Foundation
import SQLiteFile
import SQLiteKit

/// A table of a damaged store: the layout of its records, and the pages with its rows.
struct SalvagedTable {
    struct Column: Hashable {
        let name: String
        /// The index in a record; nil for a virtual generated column.
        let field: Int?
        /// The value for records that are older than the column.
        let standard: SalvagedCell
    }

    /// The form of the table's rows.
    enum Form: Hashable {
        /// Rows of objects of the entities with these numbers.
        case objects(numbers: Set<Int64>)
        /// Rows of a join table: integers only.
        case links
        case other
    }

    /// SQLite's own limit: it can't have created a table with more columns.
    private static let mostColumns = 32_767

    let name: String
    /// Setting it rebuilds the indexes of all columns.
    var columns: [Column] { didSet { places = Places(columns) } }
    private var places: Places
    var root: Int?
    var form = Form.other
    var tree = DamagedDatabase.Tree()

    init(name: String, columns: [Column], root: Int?) {
        self.name = name
        self.columns = columns
        places = Places(columns)
        self.root = root
    }

    /// Indexes of columns.
    private struct Places {
        /// By key (`SQLName.key`); of equal names the first is used.
        let byKey: [String: Int]
        let fieldCount: Int
        /// The fields of an object's primary key and entity number.
        let number, entity: Int?

        init(_ columns: [Column]) {
            byKey = Dictionary(
                columns.enumerated().map { (SQLName.key($1.name), $0) }, uniquingKeysWith: { first, _ in first })
            fieldCount = columns.count { $0.field != nil }
            number = byKey["Z_PK"].flatMap { columns[$0].field }
            entity = byKey["Z_ENT"].flatMap { columns[$0].field }
        }
    }

    /// A table that is known only from the model.
    init(name: String, columnNames: [String]) {
        self.init(
            name: name, columns: columnNames.enumerated().map { Column(name: $1, field: $0, standard: .null) },
            root: nil)
    }

    func column(_ name: String) -> Column? { column(key: SQLName.key(name)) }

    /// - Parameter key: The key of a name (`SQLName.key`).
    func column(key: String) -> Column? { places.byKey[key].map { columns[$0] } }

    /// Whether a row may belong to this table.
    func fits(_ row: SalvagedRow) -> Bool {
        switch form {
        case .objects(let numbers):
            guard row.key > 0, row.cells.count <= places.fieldCount, case .integer(let number) = row[places.entity]
            else { return false }
            return numbers.contains(number) && row[places.number] == .null
        case .links:
            return row.cells.count == places.fieldCount
                && row.cells.allSatisfy { if case .integer = $0 { true } else { $0 == .null } }
        case .other: return false
        }
    }

    /// The value of a column.
    func cell(_ column: Column, _ row: SalvagedRow) -> SalvagedCell {
        guard let field = column.field else { return .null }
        return field < row.cells.count ? row.cells[field] : column.standard
    }

    // MARK: Statements

    /// Parses a `CREATE TABLE` statement, which may be damaged in parts, for the names and indexes
    /// of its columns. It stops at the greatest number of columns that a table can have.
    static func columns(of statement: String) -> [Column] {
        guard let open = statement.firstIndex(of: "(") else { return [] }
        var columns: [Column] = []
        var field = 0
        for definition in parts(statement[statement.index(after: open)...]) where columns.count < mostColumns {
            guard let (name, rest) = leadingName(definition) else { continue }
            let words = rest.uppercased().split { !$0.isLetter }
            if !definition.hasPrefix("\""), tableConstraints.contains(name.uppercased()) { continue }
            let isGenerated =
                words.contains("GENERATED") || rest.uppercased().contains(" AS (") || rest.uppercased().contains(" AS(")
            let isStored = !isGenerated || words.last == "STORED"
            columns.append(
                Column(name: name, field: isStored ? field : nil, standard: isGenerated ? .null : standard(rest)))
            if isStored { field += 1 }
        }
        return columns
    }

    private static let tableConstraints: Set<String> = ["PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT"]

    /// The table name in a statement.
    static func name(in statement: String) -> String? {
        guard let range = statement.range(of: "TABLE ", options: .caseInsensitive) else { return nil }
        return leadingName(statement[range.upperBound...])?.name
    }

    /// The parts between commas, ignoring commas in parentheses and quotations; at most as many as
    /// a table can have columns.
    private static func parts(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var depth = 0, start = text.startIndex
        var quote: Character?
        var index = text.startIndex
        while index < text.endIndex, parts.count < mostColumns {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if "\"'`[".contains(character) {
                quote = character == "[" ? "]" : character
            } else if character == "(" {
                depth += 1
            } else if character == ")" {
                depth -= 1
                if depth < 0 { break }
            } else if character == ",", depth == 0 {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
            index = text.index(after: index)
        }
        parts.append(text[start..<index])
        return parts
    }

    private static func leadingName(_ text: Substring) -> (name: String, rest: Substring)? {
        let text = text.drop { $0.isWhitespace }
        guard let first = text.first else { return nil }
        if let close: Character = ["\"": "\"", "`": "`", "[": "]"][first] {
            guard let end = text.dropFirst().firstIndex(of: close) else { return nil }
            return (String(text[text.index(after: text.startIndex)..<end]), text[text.index(after: end)...])
        }
        let end = text.firstIndex { $0.isWhitespace || $0 == "(" || $0 == "," } ?? text.endIndex
        return end == text.startIndex ? nil : (String(text[..<end]), text[end...])
    }

    /// The value after `DEFAULT`, if it is a plain literal.
    private static func standard(_ definition: Substring) -> SalvagedCell {
        guard let range = definition.range(of: "DEFAULT", options: .caseInsensitive) else { return .null }
        let text = definition[range.upperBound...].drop { $0.isWhitespace || $0 == "(" }
        if text.first == "'" { return .text(Array(text.dropFirst().prefix { $0 != "'" }.utf8)) }
        let word = text.prefix { !$0.isWhitespace && $0 != ")" }
        return Int64(word).map { .integer($0) } ?? Double(word).map { .real($0) } ?? .null
    }
}
