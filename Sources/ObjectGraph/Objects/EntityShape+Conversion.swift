import Query
import Schema

extension EntityShape {
    /// The value converted to the type of an attribute.
    /// - Throws: ``GraphError`` with code `wrongType`, or `unknownKey` for a part that a composite
    ///   does not have.
    func converted(_ value: PropertyValue, for property: PropertyDescription) throws(GraphError) -> PropertyValue {
        guard let attribute = property.attribute else { throw .wrongType(value.typeName, for: property, of: entity) }
        return try converted(value, to: attribute, key: attribute.name)
    }

    private func converted(_ value: PropertyValue, to attribute: AttributeDescription, key: String) throws(GraphError)
        -> PropertyValue
    {
        if case .composite(let parts) = value, let composite = model.composite(of: attribute) {
            return try converted(parts, to: composite, key: key)
        }
        guard let converted = value.converted(to: attribute) else {
            throw .wrongType(value.unfitting(for: attribute), for: attribute, key: key, of: entity)
        }
        return converted
    }

    /// Converts the parts of a composite. Nil parts are left out, so that equal composites are
    /// equal values.
    private func converted(_ parts: [String: PropertyValue], to composite: CompositeDescription, key: String)
        throws(GraphError) -> PropertyValue
    {
        var converted: [String: PropertyValue] = [:]
        for (name, value) in parts {
            guard let attribute = composite.attributes.first(where: { $0.name == name }) else {
                let hint = NearestNames.question(
                    NearestNames.nearest(to: name, among: composite.attributes.map(\.name)))
                throw GraphError(
                    .unknownKey, "\(entity.name).\(key) has no part \"\(name)\"\(hint)", entity: entity.name,
                    key: "\(key).\(name)")
            }
            let value = try self.converted(value, to: attribute, key: "\(key).\(name)")
            if !value.isNull { converted[name] = value }
        }
        return .composite(converted)
    }
}
