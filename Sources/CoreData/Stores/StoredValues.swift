import Foundation
import ObjectGraph
import Schema

/// Values between stores of the application's own and Folio.
enum StoredValues {
    /// The value of an attribute as Folio keeps it; null for nil.
    ///
    /// - Throws: ``StoreCallError`` with `NSPersistentStoreInvalidTypeError` for a value that the
    ///   attribute can't have, and with the error of a transformer.
    static func stored(_ raw: Any?, _ attribute: AttributeDescription, of entity: EntityDescription) throws
        -> PropertyValue
    {
        guard let raw, !(raw is NSNull) else { return .null }
        if attribute.type == .transformable {
            do { return .data(try TransformableValue.data(of: raw, attribute)) } catch { throw StoreCallError(error) }
        }
        if attribute.type == .binary, let data = raw as? Data { return .data(data) }
        // A number of a file that has no booleans.
        if attribute.type == .boolean, let number = raw as? NSNumber { return .bool(number.boolValue) }
        guard let value = BridgedValue.propertyValue(raw)?.converted(to: attribute) else {
            throw invalid("\(entity.name).\(attribute.name) has a value of the type \(type(of: raw))")
        }
        return value
    }

    static func invalid(_ message: String) -> StoreCallError {
        StoreCallError(CocoaErrors.made(NSPersistentStoreInvalidTypeError, "The store can't be read: " + message))
    }

    /// The attributes of an entity that stores have.
    static func attributes(of entity: EntityDescription) -> [AttributeDescription] {
        entity.properties.filter { !$0.isTransient }.compactMap(\.attribute).filter { $0.derivationExpression == nil }
    }

    /// The relationships of an entity that stores have, each with whether it is to-many.
    static func relationships(of entity: EntityDescription) -> [(name: String, isToMany: Bool)] {
        entity.properties.filter { !$0.isTransient && $0.relationship != nil }.map { ($0.name, $0.isToMany) }
    }
}
