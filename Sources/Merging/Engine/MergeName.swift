/// What a merge calls an object, whatever number each of the states gives it.
package struct MergeName: Hashable, Sendable {
    /// The state that the object comes from.
    package enum Origin: UInt8, Sendable {
        case base, ours, theirs
    }

    /// The primary key in the state that the object comes from. Negative for a new object whose key
    /// the base uses for another one.
    package let number: Int64
    private let entityNumber: Int32
    package let origin: Origin

    /// The number of the object's own entity in the ``MergeSchema``.
    package var entity: Int { Int(entityNumber) }

    package init(_ entity: Int, _ number: Int64, _ origin: Origin = .base) {
        self.number = number
        entityNumber = Int32(entity)
        self.origin = origin
    }
}

extension MergeName: Comparable {
    package static func < (left: MergeName, right: MergeName) -> Bool {
        if left.entityNumber != right.entityNumber { return left.entityNumber < right.entityNumber }
        if left.number != right.number { return left.number < right.number }
        return left.origin.rawValue < right.origin.rawValue
    }
}
