import Foundation
import RowMemory
import Schema
import SQLiteKit

/// Describes how one result cell becomes the value of one slot. Trivial to copy, because the loops
/// over rows use it for every cell.
struct CellReader {
    enum Kind: UInt8 {
        case int, bool, double, float, string, uuid, decimal, data, large
        case composite, toOne
    }

    let slot: RowSlot
    let cell: RowCell
    let kind: Kind
    let column: Int32
    /// The index of a to-one relationship's declared destination, or a composite's index among the
    /// shape's composites.
    var index: Int32 = 0
    /// Whether the next cell has the destination's `Z_ENT`.
    var hasEntity = false

    init(_ kind: Kind, slot: RowSlot, column: Int) {
        self.slot = slot
        cell = RowCell(slot)
        self.kind = kind
        self.column = Int32(column)
    }
}

extension CellReader.Kind {
    init(_ column: AttributeColumn) {
        self =
            switch column.type {
            case .integer16, .integer32, .integer64: .int
            case .boolean: .bool
            case .double, .date: .double
            case .float: .float
            case .string, .uri: .string
            case .uuid: .uuid
            case .decimal: .decimal
            case .binary, .transformable: column.hasStoragePrefix ? .large : .data
            case .undefined, .objectID, .composite: .data
            }
    }
}

extension ResultCells {
    /// The cell as a separate value, for use in a composite or a table. Nil for a cell that is not
    /// of the column's type, as in rows.
    func propertyValue(at index: Int, _ column: AttributeColumn, _ files: ExternalValues) -> PropertyValue {
        let type = typeNumber(at: index)
        if type == CellType.null { return .null }
        switch CellReader.Kind(column) {
        case .int: return integer(at: index).map { .int($0) } ?? .null
        case .bool: return bool(at: index).map { .bool($0) } ?? .null
        case .double:
            guard let number = number(at: index) else { return .null }
            return column.type == .date ? .date(Date(timeIntervalSinceReferenceDate: number)) : .double(number)
        case .float: return float(at: index).map { .float($0) } ?? .null
        case .string:
            guard type == CellType.text else { return .null }
            let text = string(at: index)
            return column.type == .uri ? URL(string: text).map { .uri($0) } ?? .string(text) : .string(text)
        case .uuid: return uuid(at: index).map { .uuid($0) } ?? .null
        case .decimal: return decimal(at: index).map { .decimal($0) } ?? .null
        case .data: return type == CellType.blob ? .data(data(at: index)) : .null
        case .large: return type == CellType.blob ? .large(files.value(ofCell: data(at: index))) : .null
        case .composite, .toOne: preconditionFailure("A leaf is a plain attribute")
        }
    }
}
