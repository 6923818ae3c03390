/// An entity as a class declares it. `@Model` generates it, and models are created from it.
public struct _SchemaEntity {
    let name: String
    let objectClass: ManagedObject.Type
    let superclass: ManagedObject.Type
    let properties: [_SchemaProperty]
    /// Returns the names of the properties that the class itself declares, by key paths of a given
    /// class, which is this class or a subclass.
    let keyPaths: (ManagedObject.Type) -> [AnyKeyPath: String]
    let uniquenessConstraints: [[String]]
    let indexes: [[String]]
    let originalName: String?

    /// Creates the declaration of an entity.
    ///
    /// - Parameters:
    ///   - superclass: The superclass; if it declares an entity, that is the super-entity.
    ///   - keyPaths: Returns the names of the properties that the class itself declares, by key
    ///     paths of a given class, which is this class or a subclass. `\Novel.title` and
    ///     `\Book.title` are different key paths.
    ///   - uniquenessConstraints: Lists of names of properties whose values together are unique.
    ///   - indexes: Lists of names of properties.
    public init(
        _ name: String, of objectClass: ManagedObject.Type, superclass: ManagedObject.Type,
        properties: [_SchemaProperty],
        keyPaths: @escaping (ManagedObject.Type) -> [AnyKeyPath: String] = { _ in [:] },
        uniquenessConstraints: [[String]] = [], indexes: [[String]] = [], originalName: String? = nil
    ) {
        self.name = name
        self.objectClass = objectClass
        self.superclass = superclass
        self.properties = properties
        self.keyPaths = keyPaths
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.originalName = originalName
    }

    /// The entity that a class declares itself, not one that it inherits.
    static func declared(by objectClass: ManagedObject.Type) -> _SchemaEntity? {
        objectClass._schemaEntity.flatMap { $0.objectClass == objectClass ? $0 : nil }
    }
}
