import Foundation
import RowMemory
import Schema
import SQLiteKit

/// How one cell of a result becomes the value of one slot.
///
/// Files are not to be trusted with types: what can be understood as the attribute's type is, what can't is no value.
enum CellReader {
    case int, bool, double, float, date, string, uri, uuid, decimal, data
    case large
    case composite([(path: [String], column: AttributeColumn)])
    /// The destination's number may stand in the next cell.
    case toOne(destinationIndex: Int, hasEntity: Bool)

    init(_ column: AttributeColumn) {
        self =
            switch column.type {
            case .integer16, .integer32, .integer64: .int
            case .boolean: .bool
            case .double: .double
            case .float: .float
            case .date: .date
            case .string: .string
            case .uri: .uri
            case .uuid: .uuid
            case .decimal: .decimal
            case .binary, .transformable: column.hasStoragePrefix ? .large : .data
            case .undefined, .objectID, .composite: .data
            }
    }
}

extension Statement {
    /// The cell as a decimal number, nil if it is none.
    func decimal(at index: Int) -> Decimal? {
        switch storageClass(at: index) {
        case .integer: return Decimal(int64(at: index))
        case .real:
            let number = double(at: index)
            // The shortest text that reads back gives the decimal that was meant, not the binary fraction.
            guard number.isFinite, let decimal = Decimal(string: number.description), decimal.isFinite else { return nil }
            return decimal
        case .text:
            guard let decimal = Decimal(string: text(at: index)), decimal.isFinite else { return nil }
            return decimal
        case .blob, .null: return nil
        }
    }

    func uuid(at index: Int) -> UUID? {
        switch storageClass(at: index) {
        case .blob:
            return withBlob(at: index) { bytes in
                bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
            }
        case .text: return UUID(uuidString: text(at: index))
        case .integer, .real, .null: return nil
        }
    }

    func data(at index: Int) -> Data {
        withBlob(at: index) { Data($0) }
    }

    /// The cell as a boxed value: what composites are made of.
    func propertyValue(at index: Int, _ column: AttributeColumn, _ files: ExternalValues) -> PropertyValue {
        guard !isNull(at: index) else { return .null }
        switch CellReader(column) {
        case .int: return storageClass(at: index) == .blob ? .null : .int(int64(at: index))
        case .bool: return storageClass(at: index) == .blob ? .null : .bool(int64(at: index) != 0)
        case .double: return .double(double(at: index))
        case .float: return .float(Float(double(at: index)))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: double(at: index)))
        case .string: return .string(text(at: index))
        case .uri:
            let text = text(at: index)
            return URL(string: text).map { .uri($0) } ?? .string(text)
        case .uuid: return uuid(at: index).map { .uuid($0) } ?? .null
        case .decimal: return decimal(at: index).map { .decimal($0) } ?? .null
        case .data: return .data(data(at: index))
        case .large: return .large(files.value(ofCell: data(at: index)))
        case .composite, .toOne: preconditionFailure("A leaf is a plain attribute")
        }
    }
}

extension Decimal {
    fileprivate var isFinite: Bool { !isNaN && !isInfinite }
}
