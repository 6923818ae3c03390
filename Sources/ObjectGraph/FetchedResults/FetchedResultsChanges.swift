public import Foundation
import Schema

/// The difference between the results of a ``FetchedResultsController`` before and after a change.
///
/// Index paths of deletions, updates and the origins of moves refer to the results before; those of
/// insertions and the destinations of moves to the results after. To update a list, delete from the
/// end, then insert from the front, and treat a move as both.
public struct FetchedResultsChanges {
    /// A change of one object in the results.
    public enum ObjectChange: Hashable {
        /// The object was inserted at an index path of the new results.
        case insert(ManagedObject, at: IndexPath)
        /// The object was deleted from an index path of the old results.
        case delete(ManagedObject, at: IndexPath)
        /// The object at an index path of the old results has changed, but not its position
        /// relative to the others.
        case update(ManagedObject, at: IndexPath)
        /// The object has changed its position.
        case move(ManagedObject, from: IndexPath, to: IndexPath)
    }

    /// The indexes of the old sections that were deleted.
    public let deletedSections: IndexSet
    /// The indexes of the new sections that were inserted.
    public let insertedSections: IndexSet
    /// The changes of objects: deletions, insertions, moves, then updates.
    public let objects: [ObjectChange]

    /// Whether nothing has changed.
    public var isEmpty: Bool { deletedSections.isEmpty && insertedSections.isEmpty && objects.isEmpty }

    /// - Parameter touched: The changed objects, whether or not they are in one of the results.
    init<Result>(
        from old: [FetchedResultsSection<Result>], to new: [FetchedResultsSection<Result>], touched: Set<ManagedObject>
    ) {
        let oldNames = Set(old.map(\.name)), newNames = Set(new.map(\.name))
        deletedSections = IndexSet(old.indices.filter { !newNames.contains(old[$0].name) })
        insertedSections = IndexSet(new.indices.filter { !oldNames.contains(new[$0].name) })
        let before = Self.places(old), after = Self.places(new)
        let moved = Self.moved(old, new, before, after, touched)
        var deletions: [ObjectChange] = [], insertions: [ObjectChange] = [], moves: [ObjectChange] = [],
            updates: [ObjectChange] = []
        for (index, section) in old.enumerated() {
            for (item, object) in section.objects.enumerated() {
                let place = IndexPath(indexes: [index, item])
                if after[object] == nil {
                    deletions.append(.delete(object, at: place))
                } else if touched.contains(object), !moved.contains(object) {
                    updates.append(.update(object, at: place))
                }
            }
        }
        for (index, section) in new.enumerated() {
            for (item, object) in section.objects.enumerated() {
                let place = IndexPath(indexes: [index, item])
                if let former = before[object] {
                    if moved.contains(object) { moves.append(.move(object, from: former.path, to: place)) }
                } else {
                    insertions.append(.insert(object, at: place))
                }
            }
        }
        objects = deletions + insertions + moves + updates
    }

    private struct Place {
        let path: IndexPath
        let section: String
        /// The index among all objects of the results.
        let position: Int
    }

    private static func places<Result>(_ sections: [FetchedResultsSection<Result>]) -> [ManagedObject: Place] {
        var places: [ManagedObject: Place] = [:]
        for (index, section) in sections.enumerated() {
            for (item, object) in section.objects.enumerated() {
                places[object] = Place(
                    path: IndexPath(indexes: [index, item]), section: section.name, position: places.count)
            }
        }
        return places
    }

    /// The objects that moved: those whose section changed and, of the changed objects, the
    /// smallest set without which the order of the rest is the same. If unchanged objects are in
    /// another order, because a value of a related object that the request sorts by changed, they
    /// count as changed.
    private static func moved<Result>(
        _ old: [FetchedResultsSection<Result>], _ new: [FetchedResultsSection<Result>],
        _ before: [ManagedObject: Place], _ after: [ManagedObject: Place],
        _ touched: Set<ManagedObject>
    ) -> Set<ManagedObject> {
        var moved: Set<ManagedObject> = []
        for section in new {
            let staying = section.objects.filter { before[$0]?.section == section.name }
            for object in section.objects where before[object].map({ $0.section != section.name }) ?? false {
                moved.insert(object)
            }
            let kept = longestIncreasingRun(
                staying.map { (before[$0]?.position ?? 0, touched.contains($0) ? 1 : staying.count + 1) })
            for (index, object) in staying.enumerated() where !kept.contains(index) { moved.insert(object) }
        }
        return moved
    }

    /// The indexes of the ascending subsequence with the greatest weight. An unchanged object
    /// weighs more than all changed ones together, so changed objects are reported as moved.
    private static func longestIncreasingRun(_ values: [(position: Int, weight: Int)]) -> Set<Int> {
        if zip(values, values.dropFirst()).allSatisfy({ $0.position < $1.position }) { return Set(values.indices) }
        // A Fenwick tree of maxima by rank: the best subsequence that ends at or before a position.
        let ranks = Dictionary(uniqueKeysWithValues: values.map(\.position).sorted().enumerated().map { ($1, $0 + 1) })
        var tree = [(weight: Int, index: Int)](repeating: (0, -1), count: values.count + 1)
        var previous = [Int](repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            var best = (weight: 0, index: -1)
            var rank = (ranks[value.position] ?? 1) - 1
            while rank > 0 {
                if tree[rank].weight > best.weight { best = tree[rank] }
                rank &= rank - 1
            }
            previous[index] = best.index
            rank = ranks[value.position] ?? 1
            while rank < tree.count {
                if best.weight + value.weight > tree[rank].weight { tree[rank] = (best.weight + value.weight, index) }
                rank += rank & -rank
            }
        }
        var run: Set<Int> = []
        var index = tree.dropFirst().max { $0.weight < $1.weight }?.index ?? -1
        while index >= 0 {
            run.insert(index)
            index = previous[index]
        }
        return run
    }
}
