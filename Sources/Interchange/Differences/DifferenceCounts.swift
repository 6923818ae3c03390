package import Folio

/// The number of differences of each entity.
package struct DifferenceCounts {
    package struct Counts {
        package private(set) var added = 0
        package private(set) var removed = 0
        package private(set) var changed = 0

        fileprivate mutating func add(_ change: ObjectDifference.Change) {
            switch change {
            case .added: added += 1
            case .removed: removed += 1
            case .changed: changed += 1
            }
        }
    }

    private var counts: [String: Counts] = [:]

    package init() {}

    package mutating func add(_ difference: ObjectDifference) {
        counts[difference.entity, default: Counts()].add(difference.change)
    }

    package var isEmpty: Bool { counts.isEmpty }

    /// The counts by the names of entities.
    package var entities: [(name: String, counts: Counts)] {
        counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }
}
