import Foundation
import Schema
import SQLiteKit

/// The source of a cell of a migrated row. SQL text refers to the columns of the old row.
enum CellOrigin: Hashable {
    case null
    /// A constant.
    case literal(String)
    /// A column, unchanged.
    case column(String)
    /// A column, or a constant if it is NULL.
    case columnOr(String, literal: String)
    case computed(String)

    /// The value as an expression.
    var expression: String {
        switch self {
        case .null: "NULL"
        case .literal(let literal): literal
        case .column(let name): SQLName.quoted(name)
        case .columnOr(let name, let literal): "ifnull(\(SQLName.quoted(name)), \(literal))"
        case .computed(let expression): expression
        }
    }

    /// The default value of an attribute.
    static func defaultValue(_ value: PropertyValue?, _ column: AttributeColumn) -> CellOrigin {
        guard let value else { return .null }
        switch SQLiteValue(value, column) {
        case .null: return .null
        case .integer(let number): return .literal(String(number))
        case .real(let number):
            if number.isNaN { return .null }
            return .literal(number.isInfinite ? (number < 0 ? "-9e999" : "9e999") : String(number))
        // A NUL character would end the text of a statement.
        case .text(let text) where text.utf8.contains(0):
            return .computed("CAST(\(hexadecimal(Array(text.utf8))) AS TEXT)")
        case .text(let text): return .literal(SQLName.literal(text))
        case .blob(let bytes): return .literal(hexadecimal(bytes))
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
}
