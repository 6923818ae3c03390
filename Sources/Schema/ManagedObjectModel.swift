import Foundation
import Synchronization

/// The schema of a store: entities, composites, configurations and fetch request templates.
///
/// A model is immutable and validated: every name in it refers to something that exists. To change
/// a model, change its ``definition`` and create a new model. It is safe to share between threads.
///
/// ```swift
/// let model = try ManagedObjectModel(entities: [
///     EntityDefinition("Author", attributes: [.init("name", .string)], relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
///     EntityDefinition("Book", attributes: [.init("title", .string)], relationships: [.init("author", to: "Author", inverse: "books")]),
/// ])
/// ```
public final class ManagedObjectModel: Sendable {
    /// The content of a model, as a value.
    public struct Definition: Sendable, Hashable {
        /// The entities, in any order. A model sorts them by name.
        public var entities: [EntityDefinition] = []
        /// The composites that composite attributes refer to.
        public var composites: [CompositeDescription] = []
        /// The names of the entities of each configuration, by the configuration's name.
        public var configurations: [String: [String]] = [:]
        /// The fetch request templates; their names are distinct.
        public var fetchRequestTemplates: [FetchRequestTemplate] = []
        /// The identifiers that the model's author gave to this version. They are hints;
        /// compatibility is decided by version hashes.
        public var versionIdentifiers: [String] = []
        /// Markup of the model file that Folio does not interpret, kept so that it can be written
        /// back.
        public var extraMarkup: [String: String] = [:]
        /// The elements of the model editor's diagram, kept so that they can be written back.
        public var diagram: [[String: String]] = []

        /// Creates an empty definition.
        public init() {}
    }

    /// The content of the model. Parts that have no order are sorted by name.
    public let definition: Definition
    /// The entities, depth first, with roots and siblings sorted by name without regard to case.
    /// New stores assign entity numbers (Z_ENT) in this order.
    public let entities: [EntityDescription]
    /// What the model's file says that could not be followed, such as a default value that is none
    /// of its type. The model was read without it. Empty for a model that was not read from a file;
    /// not part of the model's equality.
    public let warnings: [ModelError.Fault]
    private let indexByName: [String: Int]
    private let compositesByName: [String: CompositeDescription]
    /// A number that is unique for each model in the process, for fast comparison of models.
    package let number: UInt64
    private static let nextNumber = Atomic<UInt64>(0)
    /// The version hashes; nil until they are first needed.
    let hashes = Mutex<[String: Data]?>(nil)

    /// Creates a model from its definition and validates it.
    ///
    /// - Throws: ``ModelError`` with code `invalid`, whose ``ModelError/faults`` list every error.
    public convenience init(_ description: Definition) throws(ModelError) {
        try self.init(description, warnings: [])
    }

    /// Creates a model with the warnings of its reader.
    package init(_ description: Definition, warnings: [ModelError.Fault]) throws(ModelError) {
        try description.validate()
        self.warnings = warnings
        let description = description.ordered()
        self.definition = description
        let number = Self.nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
        self.number = number
        let tree = EntityTree(description.entities)
        var indexByName: [String: Int] = [:]
        for (index, node) in tree.nodes.enumerated() { indexByName[node.description.name] = index }
        var entities: [EntityDescription] = []
        entities.reserveCapacity(tree.nodes.count)
        for (index, node) in tree.nodes.enumerated() {
            entities.append(
                EntityDescription(
                    description: node.description, superentity: node.parent.map { entities[$0] },
                    subentityNames: node.children, index: index,
                    family: index..<(index + node.size), modelNumber: number, resolveEntity: { indexByName[$0] }))
        }
        self.entities = entities
        self.indexByName = indexByName
        compositesByName = Dictionary(
            description.composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Creates a model that consists of entities only.
    ///
    /// - Throws: The errors of ``init(_:)``.
    public convenience init(entities: [EntityDefinition], versionIdentifiers: [String] = []) throws(ModelError) {
        var description = Definition()
        description.entities = entities
        description.versionIdentifiers = versionIdentifiers
        try self.init(description)
    }

    /// The entity with this name; nil if there is none.
    public func entity(named name: String) -> EntityDescription? {
        indexByName[name].map { entities[$0] }
    }

    /// All entities by name. The dictionary is built by each call.
    public var entitiesByName: [String: EntityDescription] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
    }

    /// The direct sub-entities of an entity.
    public func subentities(of entity: EntityDescription) -> [EntityDescription] {
        entity.subentityNames.compactMap { self.entity(named: $0) }
    }

    /// The destination entity of a relationship; nil if the model has no entity with that name.
    public func destination(of relationship: RelationshipDescription) -> EntityDescription? {
        entity(named: relationship.destinationEntityName)
    }

    /// The entities of a configuration; all entities if `name` is nil. Nil if there is no such
    /// configuration.
    public func entities(inConfiguration name: String?) -> [EntityDescription]? {
        guard let name else { return entities }
        guard let members = definition.configurations[name] else { return nil }
        let wanted = Set(members)
        return entities.filter { wanted.contains($0.name) }
    }

    /// The composite with this name; nil if there is none.
    public func composite(named name: String) -> CompositeDescription? {
        compositesByName[name]
    }

    /// The composite that defines the values of a composite attribute; nil for other attributes.
    package func composite(of attribute: AttributeDescription) -> CompositeDescription? {
        attribute.type == .composite ? attribute.compositeName.flatMap { composite(named: $0) } : nil
    }

    /// The inverse of a relationship among the properties of the destination entity; nil if there
    /// is none.
    package func inverse(of property: PropertyDescription) -> PropertyDescription? {
        guard let relationship = property.relationship, let name = relationship.inverseName,
            property.destinationIndex >= 0
        else { return nil }
        return entities[property.destinationIndex].property(named: name)
    }
}

extension ManagedObjectModel: Hashable {
    public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
        left === right || left.definition == right.definition
    }

    public func hash(into hasher: inout Hasher) {
        for entity in entities { hasher.combine(entity.name) }
    }
}
