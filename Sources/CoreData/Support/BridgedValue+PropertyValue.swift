import Foundation
import ObjectGraph
import Query
import Schema
import Storage

extension BridgedValue {
    /// The value of an attribute or a constant of a predicate; nil where Folio has none for it.
    static func propertyValue(_ value: Any?) -> PropertyValue? {
        guard let value else { return .null }
        let kind = type(of: value)
        if value is NSNull { return .null }
        if kind is NSNumber.Type, let number = value as? NSNumber { return propertyValue(number) }
        if let expression = (value as? NSExpression)?.query {
            if case .constant(let constant) = expression { return constant }
            return nil
        }
        if let entity = value as? NSEntityDescription { return .string(entity.name ?? "") }
        if let token = value as? NSPersistentHistoryToken { return token.folio.predicateConstant }
        if let object = value as? ManagedObject { return .object(object.objectID) }
        if let argument = value as? any PredicateArgument {
            if let flag = value as? Bool, kind == Bool.self { return .bool(flag) }
            return argument.predicateConstant
        }
        if let text = value as? String { return .string(text) }
        if let date = value as? Date { return .date(date) }
        if let data = value as? Data { return .data(data) }
        if let url = value as? URL { return .uri(url) }
        if let uuid = value as? UUID { return .uuid(uuid) }
        if let elements = elements(of: value) {
            var list: [PropertyValue] = []
            for element in elements {
                guard let constant = propertyValue(element) else { return nil }
                list.append(constant)
            }
            return .list(list)
        }
        if let pairs = value as? [String: Any] {
            var parts: [String: PropertyValue] = [:]
            for (key, part) in pairs {
                guard let constant = propertyValue(part) else { return nil }
                parts[key] = constant
            }
            return .composite(parts)
        }
        if let raw = (value as? any RawRepresentable)?.rawValue { return propertyValue(raw) }
        // A nil of a type, as generic code passes it.
        if let optional = kind as? any OptionalValue.Type { return propertyValue(optional.flat(value)) }
        return PropertyValue(value)
    }

    private static func propertyValue(_ number: NSNumber) -> PropertyValue {
        if let decimal = number as? NSDecimalNumber { return .decimal(decimal.decimalValue) }
        switch String(cString: number.objCType) {
        case "d": return .double(number.doubleValue)
        case "f": return .float(number.floatValue)
        case "c" where number.int64Value == 0 || number.int64Value == 1: return .bool(number.boolValue)
        default: return .int(number.int64Value)
        }
    }
}
