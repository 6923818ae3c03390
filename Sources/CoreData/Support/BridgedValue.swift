import Storage
import Foundation
import ObjectGraph
import Query
import Schema

/// Values between what Core Data's callers hand around (`Any`, with Foundation's classes) and what
/// Folio keeps.
enum BridgedValue {
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
        return PropertyValue(value)
    }

    /// The elements of any of the collections that callers use; nil where it is none.
    static func elements(of value: Any) -> [Any]? {
        switch value {
        case let array as [Any]: array
        case let set as Set<AnyHashable>: set.map(\.base)
        case let set as NSOrderedSet: set.array
        case let set as NSSet: set.allObjects
        case let range as ClosedRange<Int>: [range.lowerBound, range.upperBound]
        default: nil
        }
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

    /// What a key's value is for its readers: numbers as `NSNumber`, so that every cast that works
    /// on Apple's platforms works here; nil for no value.
    static func plain(_ value: PropertyValue, in context: ManagedObjectContext?) -> Any? {
        switch value {
        case .null: nil
        case .int(let number): NSNumber(value: number)
        case .bool(let flag): NSNumber(value: flag)
        case .double(let number): NSNumber(value: number)
        case .float(let number): NSNumber(value: number)
        case .decimal(let number): NSDecimalNumber(decimal: number)
        case .date(let date): date
        case .string(let text): text
        case .data(let data): data
        case .uuid(let uuid): uuid
        case .uri(let url): url
        case .large(let value): try? value.data()
        case .composite(let parts): parts.compactMapValues { plain($0, in: context) }
        case .object(let id): context.map { $0.object(with: id) as Any } ?? id
        case .list(let values): values.map { plain($0, in: context) ?? NSNull() }
        }
    }

    /// The value of an expression, for Core Data's readers.
    static func plain(_ value: QueryValue, in context: ManagedObjectContext?) -> Any? {
        switch value {
        case .scalar(let scalar): plain(scalar, in: context)
        case .object(let object): object
        case .collection(let elements, _): elements.map { plain($0, in: context) ?? NSNull() }
        }
    }

    /// The value of a key as Folio's `value(forKey:)` gives it, for Core Data's readers.
    static func plain(_ value: Any?) -> Any? {
        switch value {
        case nil: nil
        case let object as ManagedObject: object
        case let objects as Set<ManagedObject>: Set(objects.compactMap { $0 as? NSManagedObject })
        case let objects as [ManagedObject]: NSOrderedSet(array: objects)
        case let value?: PropertyValue(value).map { plain($0, in: nil) } ?? value
        }
    }
}
