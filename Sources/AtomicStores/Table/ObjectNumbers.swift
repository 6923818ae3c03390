import Storage

/// Which numbers new objects get.
struct ObjectNumbers: NumberSource {
    enum Scope: Sendable {
        /// Each hierarchy counts for itself.
        case perHierarchy
        /// All objects of a store count together, as in XML stores. Rows that bring their own
        /// number may still share it with one of another hierarchy.
        case shared(first: Int64)
    }

    private let isShared: Bool
    /// The greatest number given, by the root's position; for a shared scope at 0 alone.
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

    /// The number that the next new object of a hierarchy gets.
    func next(root: Int) -> Int64 { greatest[isShared ? 0 : root] &+ 1 }

    /// Minds that a number is taken.
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
