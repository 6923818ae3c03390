import Foundation

/// The entities of a model in the order in which new stores number them (CoreDataFiles, Numbers of
/// entities).
struct EntityTree {
    struct Node {
        let description: EntityDescription
        let parent: Int?
        let children: [String]
        /// The node and its descendants.
        var size: Int
    }

    private(set) var nodes: [Node] = []

    /// `entities` form a forest: validation has seen to it that parents exist and that there is no
    /// cycle.
    init(_ entities: [EntityDescription]) {
        var childrenByParent: [String: [EntityDescription]] = [:]
        var roots: [EntityDescription] = []
        for entity in entities {
            if let parent = entity.superentityName {
                childrenByParent[parent, default: []].append(entity)
            } else {
                roots.append(entity)
            }
        }
        // An explicit stack: the depth of a foreign model's hierarchy is not ours to trust.
        var pending: [(EntityDescription, Int?)] = Self.sorted(roots).reversed().map { ($0, nil) }
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

    private static func sorted(_ entities: [EntityDescription]) -> [EntityDescription] {
        entities.map { ($0.name.lowercased(), $0) }.sorted { ($0.0, $0.1.name) < ($1.0, $1.1.name) }.map(\.1)
    }
}
