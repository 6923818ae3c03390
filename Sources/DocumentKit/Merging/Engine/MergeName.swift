/// What a merge calls an object, whatever number each of the states gives it.
package struct MergeName: Hashable, Sendable {
    /// The state that the object comes from.
    package enum Origin: Int, Sendable {
        case base, ours, theirs
    }

    /// The object's own entity.
    package var entity: String
    /// The primary key in the state that the object comes from. Negative for a new object whose key
    /// the base uses for another one.
    package var number: Int64
    package var origin: Origin

    package init(_ entity: String, _ number: Int64, _ origin: Origin = .base) {
        self.entity = entity
        self.number = number
        self.origin = origin
    }
}

extension Sequence<MergeName> {
    /// The names in ascending order. Compares entities once each, which makes a difference for a
    /// great many objects.
    func inOrder() -> [MergeName] {
        Dictionary(grouping: self, by: \.entity).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap {
            $0.value.sorted { ($0.number, $0.origin.rawValue) < ($1.number, $1.origin.rawValue) }
        }
    }
}

extension MergeName: Comparable {
    package static func < (left: MergeName, right: MergeName) -> Bool {
        if left.entity != right.entity { return left.entity.utf8.lexicographicallyPrecedes(right.entity.utf8) }
        if left.number != right.number { return left.number < right.number }
        return left.origin.rawValue < right.origin.rawValue
    }
}
