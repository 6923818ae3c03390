import Foundation
import RowMemory
import Schema
import SQLiteKit

/// Describes how a value of a row is written to one column. Trivial to copy, because the loops over
/// rows use it for every cell.
struct CellWriter {
    enum Kind: UInt8 {
        case int, bool, double, float, string, uuid, decimal, data
        case large, leaf
        case toOneKey
        /// The destination's `Z_ENT`.
        case toOneEntity
    }

    let slot: RowSlot
    let kind: Kind
    /// The index of a large value among the row's large values, or of a composite's leaf among the
    /// plan's leaves.
    let index: Int32

    init(_ kind: Kind, slot: RowSlot, index: Int = 0) {
        self.slot = slot
        self.kind = kind
        self.index = Int32(index)
    }
}

extension CellWriter.Kind {
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

extension SQLiteValue {
    /// All decimals of this many characters are stored exactly: a Double keeps 15 digits.
    private static let exactLength = 15

    /// Whether a decimal is read back as it was written.
    static func isExact(_ value: Decimal) -> Bool {
        let text = value.description
        if value.isNaN { return false }
        if text.utf8.count <= exactLength || Int64(text) != nil { return true }
        guard let number = Double(text), number.isFinite else { return false }
        return Decimal(string: number.description) == value
    }

    /// A decimal as Core Data stores it: a number that is not an integer becomes a floating-point
    /// number, which preserves about 15 digits.
    init(_ value: Decimal) {
        let text = value.description
        if let integer = Int64(text) {
            self = .integer(integer)
        } else {
            self = Double(text).map { .real($0) } ?? .null
        }
    }

    /// Whether a value would be read back as another one.
    static func isUnstorable(_ value: PropertyValue) -> Bool {
        if case .decimal(let number) = value { return !isExact(number) }
        return value.isNotANumber
    }

    /// A leaf of a composite.
    init(_ value: PropertyValue, _ column: AttributeColumn) {
        self =
            switch value {
            case .int(let number): .integer(number)
            case .bool(let flag): .integer(flag ? 1 : 0)
            case .double(let number): .real(number)
            case .float(let number): .real(Double(number))
            case .decimal(let number): SQLiteValue(number)
            case .date(let date): .real(date.timeIntervalSinceReferenceDate)
            case .string(let text): .text(text)
            case .uri(let url): .text(url.absoluteString)
            case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
            case .data(let data): .blob((column.hasStoragePrefix ? [1] : []) + data)
            case .null, .large, .composite, .object, .list: .null
            }
    }
}
