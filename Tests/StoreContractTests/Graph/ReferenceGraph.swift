import ObjectGraph
import Query
import Schema

/// A graph as plain values: what contexts are compared with. It knows nothing of saving, undo or
/// faults; whoever uses it keeps its former states.
struct ReferenceGraph: Equatable {
    struct Node: Equatable {
        let entity: String
        var number: Int?
        /// By relationship: the names of those at the other end, sorted where it is not ordered.
        var links: [String: [String]] = [:]
    }

    struct Relationship {
        let key: String
        let destination: String
        let inverse: String
        let isToMany: Bool
        let isOrdered: Bool
        let cascades: Bool
    }

    /// What names an object of each entity, and a number of it.
    static let names: [String: (name: String, number: String?)] = [
        "Person": ("name", "age"), "Account": ("title", "balance"), "Savings": ("title", "balance"),
        "Tag": ("word", "weight"), "Entry": ("text", nil), "Card": ("bank", "number"),
    ]

    private let relationships: [String: [Relationship]]
    private(set) var nodes: [String: Node] = [:]

    init(_ model: ManagedObjectModel) {
        var relationships: [String: [Relationship]] = [:]
        for entity in model.entities {
            relationships[entity.name] = entity.properties.compactMap { property in
                guard let relationship = property.relationship, let inverse = relationship.inverseName else {
                    return nil
                }
                return Relationship(
                    key: property.name, destination: relationship.destinationEntityName, inverse: inverse,
                    isToMany: relationship.isToMany, isOrdered: relationship.isOrdered,
                    cascades: relationship.deleteRule == .cascade)
            }
        }
        self.relationships = relationships
    }

    static func == (left: ReferenceGraph, right: ReferenceGraph) -> Bool { left.nodes == right.nodes }

    func relationships(of name: String) -> [Relationship] { nodes[name].flatMap { relationships[$0.entity] } ?? [] }

    private func relationship(_ name: String, _ key: String) -> Relationship {
        guard let found = relationships(of: name).first(where: { $0.key == key }) else {
            preconditionFailure("\(name) has no \(key)")
        }
        return found
    }

    /// The names of the objects that can stand at the other end, in a fixed order.
    func candidates(for relationship: Relationship) -> [String] {
        nodes.filter {
            $0.value.entity == relationship.destination
                || relationship.destination == "Account" && $0.value.entity == "Savings"
        }.keys.sorted()
    }

    // MARK: Edits

    mutating func insert(_ name: String, _ entity: String, number: Int?) {
        nodes[name] = Node(entity: entity, number: number)
    }

    mutating func setNumber(_ number: Int?, of name: String) { nodes[name]?.number = number }

    mutating func link(_ name: String, _ key: String, _ other: String) {
        let relationship = relationship(name, key)
        if links(name, key).contains(other) { return }
        if !relationship.isToMany, let old = links(name, key).first { unlink(name, relationship, old) }
        let inverse = self.relationship(other, relationship.inverse)
        if !inverse.isToMany, let owner = links(other, inverse.key).first { unlink(owner, relationship, other) }
        append(name, relationship, other)
        if name != other || key != inverse.key { append(other, inverse, name) }
    }

    mutating func unlink(_ name: String, _ key: String, _ other: String) {
        unlink(name, relationship(name, key), other)
    }

    private mutating func unlink(_ name: String, _ relationship: Relationship, _ other: String) {
        drop(name, relationship.key, other)
        drop(other, relationship.inverse, name)
    }

    /// Makes `others` all that is at the other end, in this order where there is one.
    mutating func replace(_ name: String, _ key: String, by others: [String]) {
        for other in links(name, key) where !others.contains(other) { unlink(name, key, other) }
        for other in others { link(name, key, other) }
        if relationship(name, key).isOrdered { nodes[name]?.links[key] = others.isEmpty ? nil : others }
    }

    mutating func delete(_ name: String) {
        var going: Set<String> = [], pending = [name]
        while let next = pending.popLast() {
            guard going.insert(next).inserted else { continue }
            for relationship in relationships(of: next) where relationship.cascades {
                pending += links(next, relationship.key)
            }
        }
        for name in going {
            for relationship in relationships(of: name) {
                for other in links(name, relationship.key) { unlink(name, relationship.key, other) }
            }
        }
        for name in going { nodes[name] = nil }
    }

    func links(_ name: String, _ key: String) -> [String] { nodes[name]?.links[key] ?? [] }

    private mutating func append(_ name: String, _ relationship: Relationship, _ other: String) {
        let all = links(name, relationship.key) + [other]
        nodes[name]?.links[relationship.key] = relationship.isOrdered ? all : all.sorted()
    }

    private mutating func drop(_ name: String, _ key: String, _ other: String) {
        let left = links(name, key).filter { $0 != other }
        nodes[name]?.links[key] = left.isEmpty ? nil : left
    }

    // MARK: Reading a context

    /// What a context has.
    init(of context: ManagedObjectContext) throws {
        self.init(context.model)
        for entity in ["Person", "Account", "Tag", "Entry", "Card"] {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity)) {
                guard let keys = Self.names[object.entity.name] else { continue }
                var node = Node(entity: object.entity.name, number: keys.number.flatMap { object.number($0) })
                for relationship in relationships[object.entity.name] ?? [] {
                    let others = try Self.targets(object, relationship.key).map {
                        try Self.name(of: $0, from: (object, relationship.key))
                    }
                    if !others.isEmpty {
                        node.links[relationship.key] = relationship.isOrdered ? others : others.sorted()
                    }
                }
                nodes[try Self.name(of: object)] = node
            }
        }
    }

    private static func targets(_ object: ManagedObject, _ key: String) throws -> [ManagedObject] {
        switch object[key] {
        case let set as Set<ManagedObject>: Array(set)
        case let array as [ManagedObject]: array
        case let target as ManagedObject: [target]
        default: []
        }
    }

    private struct Dangling: Error, CustomStringConvertible {
        let description: String
    }

    private static func name(of object: ManagedObject, from source: (object: ManagedObject, key: String)? = nil) throws
        -> String
    {
        if !object.isDeleted, let key = names[object.entity.name]?.name, let name = object.text(key) { return name }
        let leading = try source.map { "\($0.key) of \(try Self.name(of: $0.object)) leads" } ?? "something leads"
        throw Dangling(description: "\(leading) to \(object.entity.name) \(object.objectID), which is gone")
    }

    /// The links whose other end does not know of them.
    var oneSided: [String] {
        nodes.flatMap { name, _ in
            relationships(of: name).flatMap { relationship in
                links(name, relationship.key).filter { !links($0, relationship.inverse).contains(name) }.map {
                    "\(name).\(relationship.key) leads to \($0)"
                }
            }
        }.sorted()
    }

    /// Where two states differ.
    func differences(from other: ReferenceGraph) -> String {
        Set(nodes.keys).union(other.nodes.keys).sorted().filter { nodes[$0] != other.nodes[$0] }
            .map {
                "\($0): \(nodes[$0].map { "\($0)" } ?? "nothing") instead of \(other.nodes[$0].map { "\($0)" } ?? "nothing")"
            }.joined(separator: "; ")
    }
}
