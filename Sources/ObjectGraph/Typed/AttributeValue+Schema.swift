import Foundation
public import Schema

extension AttributeValue {
    /// The type that a model gives attributes of this Swift type, where a class declares them.
    ///
    /// `Int` and types kept as one are `Integer 64`.
    public static var attributeType: AttributeType {
        if Self.self == Int16.self { return .integer16 }
        if Self.self == Int32.self { return .integer32 }
        if Self.self == Date.self { return .date }
        if Self.self == URL.self { return .uri }
        return attributeType(storedAs: Stored.self)
    }

    private static func attributeType(storedAs type: Any.Type) -> AttributeType {
        switch type {
        case is Int64.Type: .integer64
        case is Bool.Type: .boolean
        case is Double.Type: .double
        case is Float.Type: .float
        case is String.Type: .string
        case is UUID.Type: .uuid
        case is Decimal.Type: .decimal
        case is Data.Type, is LargeValue.Type: .binary
        default: .undefined
        }
    }
}
