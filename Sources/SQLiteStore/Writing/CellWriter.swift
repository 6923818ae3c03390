import Foundation
import RowMemory
import Schema
import SQLiteKit

/// What of a row goes into one column.
struct CellWriter {
    enum Kind {
        case int, bool, double, float, string, uuid, decimal, data
        /// The index among the row's large values.
        case large(Int)
        case leaf(path: [String], column: AttributeColumn)
        case toOneKey
        /// The destination's `Z_ENT`.
        case toOneEntity
    }

    let slot: RowSlot
    let kind: Kind

    init(slot: RowSlot, kind: Kind) {
        self.slot = slot
        self.kind = kind
    }

    /// - Parameter largeIndex: Which of the row's large values this would be.
    init(_ column: AttributeColumn, slot: RowSlot, largeIndex: Int) {
        self.slot = slot
        kind =
            switch column.type {
            case .integer16, .integer32, .integer64: .int
            case .boolean: .bool
            case .double, .date: .double
            case .float: .float
            case .string, .uri: .string
            case .uuid: .uuid
            case .decimal: .decimal
            case .binary, .transformable: column.hasStoragePrefix ? .large(largeIndex) : .data
            case .undefined, .objectID, .composite: .data
            }
    }

    /// Answers the cell of a row, NULL where it has no value.
    func write(_ row: Row, keys: KeyMap, layout: StoreLayout, large: [Data?], to result: SQLResult) {
        switch kind {
        case .int: if let value = row.int(slot) { result.set(value) }
        case .bool: if let value = row.bool(slot) { result.set(value ? 1 : 0 as Int64) }
        case .double: if let value = row.double(slot) { result.set(value) }
        case .float: if let value = row.float(slot) { result.set(Double(value)) }
        case .string: if let value = row.string(slot) { result.set(value) }
        case .uuid: if let value = row.uuid(slot) { withUnsafeBytes(of: value.uuid) { result.set(bytes: $0) } }
        case .decimal: if let value = row.decimal(slot) { result.set(SQLiteValue(value)) }
        case .data: if let value = row.data(slot) { value.withUnsafeBytes { result.set(bytes: $0) } }
        case .large(let index): if let value = large[index] { value.withUnsafeBytes { result.set(bytes: $0) } }
        case .leaf(let path, let column): if let value = row.boxed(slot) { result.set(SQLiteValue(value.value.value(at: path), column)) }
        case .toOneKey: if let value = row.reference(slot) { result.set(keys.key(value.key)) }
        case .toOneEntity: if let value = row.reference(slot), let number = layout[value.entityIndex]?.number { result.set(number) }
        }
    }
}

extension SQLiteValue {
    /// A decimal as Core Data keeps it: what is no integer is a floating-point number, so that some 15 digits survive.
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
