package import Query
import Foundation
package import Schema

/// Errors that all types of stores share.
extension StorageError {
    /// The error for an object whose unique values another object already has.
    /// - Parameters:
    ///   - object: The object that should be written.
    ///   - holder: The object that already has the values; nil if it is not known.
    package static func notUnique(_ keys: [String], _ object: StoreConflict, holder: ManagedObjectID?) -> StorageError {
        let name = object.object.entity.name
        let rule = "\(name).\(keys.joined(separator: " and ")) must be unique\(keys.count == 1 ? "" : " together")"
        let value = keys.count == 1 ? "the same value" : "the same values"
        let who =
            switch (object.object.isTemporaryID, holder) {
            case (true, let holder?) where holder.isTemporaryID: "two new objects"
            case (true, let holder): "a new object and \(shortName(holder))"
            case (false, let holder): "\(shortName(object.object)) and \(shortName(holder))"
            }
        var error = StorageError(
            .constraint, "\(rule), but \(who) have \(value)", entities: [name], keys: keys, conflicts: [object])
        error.holder = holder
        return error
    }

    /// The error for a derived attribute that stores can't keep up to date.
    package init(underivable error: QueryError) {
        self.init(
            .unsupported, error.message, entities: error.entity.map { [$0] } ?? [], keys: error.key.map { [$0] } ?? [],
            underlying: error)
    }

    private static func shortName(_ object: ManagedObjectID?) -> String {
        guard let object else { return "another one" }
        return object.isTemporaryID ? "a new object" : object.shortName
    }

    /// The error for a value that the store can't represent: NaN would be read back as nil, a
    /// decimal with too many digits as another number.
    /// - Parameter key: The name of the property; for a part of a composite, its path.
    package static func unstorable(_ value: PropertyValue, _ key: String, of object: StoreConflict) -> StorageError {
        let name = object.object.entity.name
        var error = unstorable(value, key, entity: name)
        error.conflicts = [object]
        return error
    }

    /// The error for a value that the store can't represent in any object.
    package static func unstorable(_ value: PropertyValue, _ key: String, entity name: String) -> StorageError {
        var reason = "is NaN, which this type of store can't keep"
        if case .decimal(let number) = value, !number.isNaN {
            reason = "is \(number): this type of store can't keep all of its digits, about 15"
        }
        return StorageError(.unstorable, "\(name).\(key) \(reason)", entities: [name], keys: [key], value: value)
    }
}
