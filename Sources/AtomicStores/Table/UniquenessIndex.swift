import RowMemory
import Storage

/// The objects that have unique values, by value.
struct UniquenessIndex {
    let constraint: UniquenessConstraint
    private var holders: [UniqueValues: Int64] = [:]

    init(_ constraint: UniquenessConstraint) {
        self.constraint = constraint
    }

    func holder(of values: UniqueValues) -> Int64? { holders[values] }

    mutating func exchange(old: Row?, new: Row?) {
        let before = old.flatMap { constraint.values(of: $0) }
        let after = new.flatMap { constraint.values(of: $0) }
        guard before != after else { return }
        // Within one save a value may move from one row to another, in either order.
        if let before, let old, holders[before] == old.key { holders[before] = nil }
        if let after, let new { holders[after] = new.key }
    }
}
