import Foundation
public import Query
import Schema

// Members of a protocol's extension, so that a subclass of an application may have members of the
// same names.
extension KeyPathNaming where Self: ManagedObject {
    /// The value of a transformable attribute, decoded by its transformer; nil if there is none. It
    /// is decoded by every call: mutating it does not change the attribute.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`, or `wrongType` if the attribute is not
    ///   transformable, its transformer is not registered, or the transformer refuses the data;
    ///   errors of the store.
    public func transformedValue(forKey key: String) throws -> Any? {
        try checkContext()
        return try TransformableAttribute(entity, key).value(from: propertyValue(forKey: key))
    }

    /// Encodes a value with the transformer of a transformable attribute, and sets the attribute to
    /// the data.
    ///
    /// - Throws: The same errors as ``transformedValue(forKey:)``; the attribute is then unchanged.
    public func setTransformedValue(_ value: Any?, forKey key: String) throws {
        try checkContext()
        try setPropertyValue(TransformableAttribute(entity, key).stored(value), forKey: key)
    }
}

/// A transformable attribute of an entity.
private struct TransformableAttribute {
    let entity: EntityDescription
    let key: String

    init(_ entity: EntityDescription, _ key: String) {
        self.entity = entity
        self.key = key
    }

    /// The value that is stored as `stored`; nil if that is none.
    func value(from stored: @autoclosure () throws -> PropertyValue) throws -> Any? {
        let transformer = try transformer()
        let data: Data
        switch try stored() {
        case .data(let bytes): data = bytes
        case .large(let value): data = try value.data()
        default: return nil
        }
        do { return try transformer.value(from: data) } catch {
            throw failure("holds data that its transformer refuses", error)
        }
    }

    /// What is stored for a value.
    func stored(_ value: Any?) throws -> PropertyValue {
        let transformer = try transformer()
        guard let value else { return .null }
        do { return .data(try transformer.data(from: value)) } catch {
            throw failure("can't be \(type(of: value))", error)
        }
    }

    private func transformer() throws(GraphError) -> any AttributeTransformer {
        guard let property = entity.property(named: key) else { throw GraphError.unknownKey(key, of: entity) }
        guard let attribute = property.attribute, attribute.type == .transformable else {
            throw GraphError(
                .wrongType, "\(entity.name).\(key) is no transformable attribute", entity: entity.name, key: key)
        }
        guard let name = attribute.valueTransformerName, !name.isEmpty else { return SecureArchiveTransformer() }
        if let found = AttributeTransformers.transformer(named: name) { return found }
        let hint = NearestNames.question(NearestNames.nearest(to: name, among: AttributeTransformers.names))
        throw GraphError(
            .wrongType,
            "\(entity.name).\(key) is transformed by \"\(name)\", which is not registered\(hint): call AttributeTransformers.register(_:named:)",
            entity: entity.name, key: key)
    }

    private func failure(_ what: String, _ error: any Error) -> GraphError {
        GraphError(
            .wrongType, "\(entity.name).\(key) \(what): \(error)", entity: entity.name, key: key, underlying: error)
    }
}
