import Foundation
import Query
import Schema
import SQLiteKit

extension SQLiteValue {
    /// A constant in the representation of its columns; nil for a value that no column can have.
    /// NaN becomes NULL, as in SQLite.
    init?(constant value: PropertyValue) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .integer(number)
        case .bool(let flag): self = .integer(flag ? 1 : 0)
        case .double(let number): self = number.isNaN ? .null : .real(number)
        case .float(let number): self = number.isNaN ? .null : .real(Double(number))
        case .decimal: self = ScalarRules.double(value).flatMap { $0.isNaN ? nil : .real($0) } ?? .null
        case .date(let date):
            self = date.timeIntervalSinceReferenceDate.isNaN ? .null : .real(date.timeIntervalSinceReferenceDate)
        case .string(let text): self = .text(text)
        case .uri(let url): self = .text(url.absoluteString)
        case .data(let bytes): self = .blob([UInt8](bytes))
        case .uuid(let uuid): self = .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
        case .large, .composite, .object, .list: return nil
        }
    }
}

extension SQLKind {
    /// The kind of a constant other than a reference; nil for a value that no column can have.
    init?(constant value: PropertyValue) {
        if ScalarRules.isNull(value) { self = .null; return }
        switch value {
        case .null: self = .null
        case .int, .bool, .double, .float: self = .number
        case .decimal: self = .decimal
        case .date: self = .date
        case .string: self = .text
        case .uri: self = .uri
        case .data: self = .bytes
        case .uuid: self = .uuid
        case .large, .composite, .object, .list: return nil
        }
    }

    init(_ column: AttributeColumn) {
        self =
            switch column.type {
            case .integer16, .integer32, .integer64, .boolean, .double, .float: .number
            case .decimal: .decimal
            case .date: .date
            case .string: .text
            case .uri: .uri
            case .uuid: .uuid
            case .binary, .transformable: column.hasStoragePrefix ? .opaque : .bytes
            case .undefined, .objectID, .composite: .opaque
            }
    }
}
