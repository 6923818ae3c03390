import Foundation
import ObjectGraph
import Query
import Schema

/// Values between what Core Data's callers hand around (`Any`, with Foundation's classes) and what
/// Folio keeps.
enum BridgedValue {
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
}
