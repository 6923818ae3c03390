import Foundation
import Synchronization

/// What a document's objects look like: entities, composites, configurations, fetch requests.
///
/// A model is immutable and checked: whoever holds one can rely on every name in it. To change one,
/// change its `description` and make another.
///
/// ```swift
/// let model = try ManagedObjectModel(entities: [
///     EntityDescription("Author", attributes: [.init("name", .string)], relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
///     EntityDescription("Book", attributes: [.init("title", .string)], relationships: [.init("author", to: "Author", inverse: "books")]),
/// ])
/// ```
public final class ManagedObjectModel: Sendable {
    /// What a model consists of, as a value.
    public struct Description: Sendable, Hashable {
        /// In any order; a model puts them in order of name.
        public var entities: [EntityDescription] = []
        /// What composite attributes name as their type.
        public var composites: [CompositeDescription] = []
        /// The names of the entities of each configuration.
        public var configurations: [String: [String]] = [:]
        /// Requests kept in the model, by distinct names.
        public var fetchRequestTemplates: [FetchRequestTemplate] = []
        /// Names that its authors gave the version; hints only, the version hashes decide.
        public var versionIdentifiers: [String] = []
        /// Markup of the model file that Folio gives no meaning to, kept for writing it back.
        public var extraMarkup: [String: String] = [:]
        /// The diagram's elements, one dictionary of markup each, kept for writing them back.
        public var diagram: [[String: String]] = []

        public init() {}
    }

    /// All that the model says, ordered by name where order has no meaning.
    public let description: Description
    /// Depth first, roots and siblings in case-insensitive order of their names: the order in which
    /// new stores number them.
    public let entities: [Entity]
    private let indexByName: [String: Int]
    private let compositesByName: [String: CompositeDescription]
    /// Tells models apart cheaply: no two models of a process have the same number.
    package let number: UInt64
    private static let nextNumber = Atomic<UInt64>(0)
    /// The version hashes, once somebody has asked for them.
    let hashes = Mutex<[String: Data]?>(nil)

    /// - Throws: ``ModelError`` with code `invalid` that lists everything that is wrong.
    public init(_ description: Description) throws(ModelError) {
        try description.validate()
        let description = description.ordered()
        self.description = description
        let number = Self.nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
        self.number = number
        let tree = EntityTree(description.entities)
        var indexByName: [String: Int] = [:]
        for (index, node) in tree.nodes.enumerated() { indexByName[node.description.name] = index }
        var entities: [Entity] = []
        entities.reserveCapacity(tree.nodes.count)
        for (index, node) in tree.nodes.enumerated() {
            entities.append(
                Entity(
                    description: node.description, superentity: node.parent.map { entities[$0] },
                    subentityNames: node.children, index: index,
                    family: index..<(index + node.size), modelNumber: number, resolveEntity: { indexByName[$0] }))
        }
        self.entities = entities
        self.indexByName = indexByName
        compositesByName = Dictionary(
            description.composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// A model of `entities` and nothing else.
    public convenience init(entities: [EntityDescription], versionIdentifiers: [String] = []) throws(ModelError) {
        var description = Description()
        description.entities = entities
        description.versionIdentifiers = versionIdentifiers
        try self.init(description)
    }

    /// The entity called `name`, nil if there is none.
    public func entity(named name: String) -> Entity? {
        indexByName[name].map { entities[$0] }
    }

    /// All entities. Cost: made anew by each call.
    public var entitiesByName: [String: Entity] {
        Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
    }

    /// The direct sub-entities of `entity`.
    public func subentities(of entity: Entity) -> [Entity] {
        entity.subentityNames.compactMap { self.entity(named: $0) }
    }

    /// The entity at the other end of a relationship.
    public func destination(of relationship: RelationshipDescription) -> Entity? {
        entity(named: relationship.destinationEntityName)
    }

    /// The entities of a configuration; all of them for nil, nil where there is no such
    /// configuration.
    public func entities(inConfiguration name: String?) -> [Entity]? {
        guard let name else { return entities }
        guard let members = description.configurations[name] else { return nil }
        let wanted = Set(members)
        return entities.filter { wanted.contains($0.name) }
    }

    /// The composite called `name`, nil if there is none.
    public func composite(named name: String) -> CompositeDescription? {
        compositesByName[name]
    }

    /// What the values of a composite attribute consist of; nil for other attributes.
    package func composite(of attribute: AttributeDescription) -> CompositeDescription? {
        attribute.type == .composite ? attribute.compositeName.flatMap { composite(named: $0) } : nil
    }

    /// The place of the inverse of a relationship among the properties of the destination entity.
    package func inverse(of property: Property) -> Property? {
        guard let relationship = property.relationship, let name = relationship.inverseName,
            property.destinationIndex >= 0
        else { return nil }
        return entities[property.destinationIndex].property(named: name)
    }
}

extension ManagedObjectModel: Hashable {
    public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
        left === right || left.description == right.description
    }

    public func hash(into hasher: inout Hasher) {
        for entity in entities { hasher.combine(entity.name) }
    }
}
