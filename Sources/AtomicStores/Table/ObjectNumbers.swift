import Storage

/// Assigns primary keys to new objects.
struct ObjectNumbers: NumberSource {
    enum Scope: Sendable {
        /// Each hierarchy has its own sequence of keys.
        case perHierarchy
        /// All objects of a store share one sequence, as in XML stores. An inserted row with a
        /// given key may still share it with a row of another hierarchy.
        case shared(first: Int64)
    }

    private let isShared: Bool
    /// The greatest assigned key, by the index of the root entity; for a shared scope only at index
    /// 0.
    private var greatest: [Int64]

    init(_ scope: Scope, entityCount: Int) {
        switch scope {
        case .perHierarchy:
            isShared = false
            greatest = Array(repeating: 0, count: max(entityCount, 1))
        case .shared(let first):
            isShared = true
            greatest = [first - 1]
        }
    }

    /// The primary key of the next new object of a hierarchy.
    func next(root: Int) -> Int64 { greatest[isShared ? 0 : root] &+ 1 }

    /// Records that a primary key is in use.
    mutating func note(_ key: Int64, root: Int) {
        let place = isShared ? 0 : root
        greatest[place] = max(greatest[place], key)
    }

    mutating func take(_ count: Int, root: Int, entityIndex: Int) throws(StorageError) -> Int64 {
        let place = isShared ? 0 : root
        let (last, overflow) = greatest[place].addingReportingOverflow(Int64(count))
        guard !overflow, last < .max else { throw StorageError(.full, "The store has no numbers left for new objects") }
        defer { greatest[place] = last }
        return greatest[place] + 1
    }
}
