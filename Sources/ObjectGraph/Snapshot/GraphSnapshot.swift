import Foundation
import Schema

/// A copy of the values of objects and of the objects that they refer to, independent of any
/// context. Each object is contained once.
///
/// ```swift
/// let data = try JSONEncoder().encode(GraphSnapshot(of: books))
/// let copies = try JSONDecoder().decode(GraphSnapshot.self, from: data).insert(into: context)
/// ```
/// Its JSON form is
/// ```json
/// { "roots": ["Book/1"],
///   "objects": [{ "id": "Book/1", "entity": "Book", "attributes": { "title": "Solaris" }, "toOne": { "author": "Writer/2" }, "toMany": { "tags": [] } },
///               { "id": "Writer/2", "entity": "Writer", "attributes": { "last": "Lem" }, "toOne": {}, "toMany": { "books": ["Book/1"] } }] }
/// ```
/// Dates are seconds since 2001-01-01 00:00 UTC; decimals, UUIDs and URLs are strings; bytes are
/// Base64. A missing attribute is nil; a missing relationship is not set. Transient and derived
/// attributes are not included.
public struct GraphSnapshot: Sendable, Hashable, Codable {
    struct Object: Sendable, Hashable, Codable {
        let id: String
        let entity: String
        var attributes: [String: SnapshotValue] = [:]
        var toOne: [String: String] = [:]
        var toMany: [String: [String]] = [:]
    }

    /// The IDs of the objects that the snapshot was created from.
    let roots: [String]
    /// In breadth-first order from the roots.
    private(set) var objects: [Object] = []

    /// The number of objects.
    public var count: Int { objects.count }

    /// Creates a snapshot of objects and of all objects that can be reached from them.
    ///
    /// Takes time and memory for every object that is reached. Limit the relationships if that may
    /// be too much.
    ///
    /// - Parameter relationships: The names of the relationships to follow; nil for all. Other
    ///   relationships refer to objects outside of the snapshot by their URIs.
    /// - Throws: ``GraphError`` with code `objectNotFound` for an object that does not exist, or an
    ///   unsaved object that is referred to but not part of the snapshot; errors of the store.
    public init(of objects: some Sequence<ManagedObject>, following relationships: Set<String>? = nil) throws {
        var found: [ManagedObject: String] = [:]
        var order: [ManagedObject] = []
        func id(of object: ManagedObject) -> String {
            if let id = found[object] { return id }
            order.append(object)
            let id = "\(object.entity.name)/\(order.count)"
            found[object] = id
            return id
        }
        roots = objects.map { id(of: $0) }
        var next = 0
        while next < order.count {
            try Self.reached(from: order[next], relationships).forEach { _ = id(of: $0) }
            next += 1
        }
        self.objects = try order.map { try Self.object($0, id: id(of: $0)) { found[$0] } }
    }

    private static func reached(from object: ManagedObject, _ relationships: Set<String>?) throws -> [ManagedObject] {
        try object.fulfillFault()
        let context = object.context
        return try object.shape.relations.compactMap { $0 }.filter { relationships?.contains($0.property.name) ?? true }
            .flatMap { relation in
                try relation.isToMany
                    ? Array(members(of: object, relation))
                    : context.registry.target(object, relation.slot).map { [$0] } ?? []
            }
    }

    /// The members of a relationship. Members of an unordered one are sorted by ID, so that equal
    /// graphs have equal snapshots.
    private static func members(of object: ManagedObject, _ relation: EntityShape.Relation) throws -> [ManagedObject] {
        let members = try object.context.members.membersOrThrow(object, relation)
        return relation.isOrdered
            ? Array(members) : members.sorted { ($0.entityIndex, abs($0.key)) < ($1.entityIndex, abs($1.key)) }
    }

    private static func object(_ source: ManagedObject, id: String, _ known: (ManagedObject) -> String?) throws
        -> Object
    {
        func reference(_ object: ManagedObject) throws -> String {
            if let id = known(object) { return id }
            guard object.key > 0 else {
                throw GraphError(
                    .objectNotFound,
                    "\(object.objectID.shortName) was never saved and is not in the snapshot: nothing can lead to it",
                    object: object.objectID)
            }
            return object.objectID.description
        }
        let shape = source.shape
        var object = Object(id: id, entity: shape.entity.name)
        for property in shape.entity.properties where !property.isTransient {
            if let relation = shape.relations[property.index] {
                if relation.isToMany {
                    object.toMany[property.name] = try members(of: source, relation).map(reference)
                } else if let target = source.context.registry.target(source, relation.slot) {
                    object.toOne[property.name] = try reference(target)
                }
            } else if property.attribute?.isDerived == false {
                object.attributes[property.name] = try SnapshotValue(
                    PropertyAccess(source).value(at: property.index, shape))
            }
        }
        return object
    }
}

extension GraphSnapshot.Object {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        entity = try container.decode(String.self, forKey: .entity)
        // In files written by hand, empty entries may be missing.
        attributes = try container.decodeIfPresent([String: SnapshotValue].self, forKey: .attributes) ?? [:]
        toOne = try container.decodeIfPresent([String: String].self, forKey: .toOne) ?? [:]
        toMany = try container.decodeIfPresent([String: [String]].self, forKey: .toMany) ?? [:]
    }
}
