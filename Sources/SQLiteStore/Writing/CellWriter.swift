import Foundation
import RowMemory
import Schema
import SQLiteKit

/// What of a row goes into one column. Trivial to copy: loops over rows go through millions of
/// them.
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
    /// Of a large value its place among the row's, of a composite's leaf that among the plan's.
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
    /// A decimal as Core Data keeps it: what is no integer is a floating-point number, so that some
    /// 15 digits survive.
    init(_ value: Decimal) {
        let text = value.description
        if let integer = Int64(text) {
            self = .integer(integer)
        } else {
            self = Double(text).map { .real($0) } ?? .null
        }
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
