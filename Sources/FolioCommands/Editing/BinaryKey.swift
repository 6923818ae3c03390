import Folio

/// Looks up the binary attribute for `attach` and `extract`.
enum BinaryKey {
    /// - Throws: A usage error for an unknown key or a property that is not binary.
    /// - Parameter takesTransformables: Whether an attribute of transformed values will do, whose
    ///   stored bytes may be those of a picture.
    static func attribute(_ key: String, of entity: EntityDescription, takesTransformables: Bool = false) throws
        -> AttributeDescription
    {
        let property = try EntityLookup.property(named: key, of: entity)
        guard let attribute = property.attribute, !property.isTransient,
            attribute.type == .binary || takesTransformables && attribute.type == .transformable
        else {
            let kind = property.attribute.map { $0.type == .binary ? "transient" : $0.type.name } ?? "no attribute"
            throw InterchangeError(
                .usage, "wrongType", "\(entity.name).\(key) is \(kind), not a stored binary attribute",
                detail: .object(["entity": .string(entity.name), "key": .string(key)]))
        }
        return attribute
    }
}
