public import Schema

/// An entity as a class declares it: what `@Model` writes, and what a model is made of.
public struct SchemaEntity {
    let name: String
    let objectClass: ManagedObject.Type
    let superclass: ManagedObject.Type
    let properties: [SchemaProperty]
    /// The names of the class's own properties by key paths of the class that is asked for, which is this one or one that inherits from it.
    let keyPaths: (ManagedObject.Type) -> [AnyKeyPath: String]
    let uniquenessConstraints: [[String]]
    let indexes: [[String]]
    let originalName: String?

    /// - Parameters:
    ///   - superclass: The class that it inherits from; its entity is the super-entity where it has one.
    ///   - keyPaths: The names of the properties that the class itself declares, by key paths of a class that is it or inherits from it: `\Novel.title` is another
    ///     key path than `\Book.title`.
    ///   - uniquenessConstraints: Each the names of properties whose values together occur once.
    ///   - indexes: Each the names of properties.
    public init(
        _ name: String, of objectClass: ManagedObject.Type, superclass: ManagedObject.Type, properties: [SchemaProperty],
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
    static func declared(by objectClass: ManagedObject.Type) -> SchemaEntity? {
        objectClass.schemaEntity.flatMap { $0.objectClass == objectClass ? $0 : nil }
    }
}

extension ManagedObjectModel {
    /// The model of classes that declare their entities, as those with `@Model` do; their super-entities and the destinations of their relationships come along.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(schema: [Book.self, Author.self], versionIdentifier: "1")
    /// ```
    /// A relationship that names no inverse gets the one that names it, or the only one that leads back where neither names another.
    /// - Throws: ``ModelError`` with code `invalid` and everything that is wrong.
    public convenience init(schema classes: [ManagedObject.Type], versionIdentifier: String? = nil) throws(ModelError) {
        var builder = SchemaBuilder()
        builder.collect(classes)
        var description = Description()
        description.entities = builder.entityDescriptions()
        if let versionIdentifier { description.versionIdentifiers = [versionIdentifier] }
        guard builder.faults.isEmpty else { throw ModelError(.invalid, "The classes make no model", faults: builder.faults) }
        try self.init(description)
    }
}

extension ManagedObject {
    /// The classes by the names that the model of their schema gives them: what a container or a document is given, relatives included.
    public static func classesByName(_ classes: [ManagedObject.Type]) -> [String: ManagedObject.Type] {
        var builder = SchemaBuilder()
        builder.collect(classes)
        return Dictionary(builder.entities.map { ($0.name, $0.objectClass) }, uniquingKeysWith: { first, _ in first })
    }
}
