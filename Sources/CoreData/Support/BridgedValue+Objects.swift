import Foundation
import ObjectGraph
import Schema

extension BridgedValue {
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
