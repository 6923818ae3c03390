import Foundation

/// The entities of a model in the order in which new stores assign entity numbers (Z_ENT).
struct EntityTree {
    struct Node {
        let description: EntityDefinition
        let parent: Int?
        let children: [String]
        /// The number of nodes in the subtree, this node included.
        var size: Int
    }

    private(set) var nodes: [Node] = []

    /// - Precondition: `entities` is a forest. Validation has checked that parents exist and that
    ///   there is no cycle.
    init(_ entities: [EntityDefinition]) {
        var childrenByParent: [String: [EntityDefinition]] = [:]
        var roots: [EntityDefinition] = []
        for entity in entities {
            if let parent = entity.superentityName {
                childrenByParent[parent, default: []].append(entity)
            } else {
                roots.append(entity)
            }
        }
        // The stack is explicit, because a foreign model's hierarchy may be deep enough to overflow
        // the call stack.
        var pending: [(EntityDefinition, Int?)] = Self.sorted(roots).reversed().map { ($0, nil) }
        while let (entity, parent) = pending.popLast() {
            let children = Self.sorted(childrenByParent[entity.name] ?? [])
            let index = nodes.count
            nodes.append(Node(description: entity, parent: parent, children: children.map(\.name), size: 1))
            for child in children.reversed() { pending.append((child, index)) }
        }
        for index in nodes.indices.reversed() {
            if let parent = nodes[index].parent { nodes[parent].size += nodes[index].size }
        }
    }

    private static func sorted(_ entities: [EntityDefinition]) -> [EntityDefinition] {
        entities.map { ($0.name.lowercased(), $0) }.sorted { ($0.0, $0.1.name) < ($1.0, $1.1.name) }.map(\.1)
    }
}
