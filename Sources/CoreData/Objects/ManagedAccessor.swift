import Foundation
import ObjectGraph
import Schema

/// The accessors of a to-many relationship that Xcode generates, by their names.
struct ManagedAccessor {
    private enum Kind {
        case add, remove, insert, replace
    }

    private let kind: Kind
    private let key: String

    init(_ name: String, of entity: EntityDescription) {
        let kinds: [(prefix: String, kind: Kind)] = [
            ("addTo", .add), ("removeFrom", .remove), ("insertInto", .insert), ("replace", .replace), ("add", .add),
            ("remove", .remove), ("insert", .insert),
        ]
        for (prefix, kind) in kinds where name.hasPrefix(prefix) {
            let rest = String(name.dropFirst(prefix.count))
            let candidates = [rest.prefix(1).lowercased() + rest.dropFirst(), rest].flatMap { word in
                // `addBooksObject(_:)`, as accessors were called at first.
                word.hasSuffix("Object") ? [word, String(word.dropLast("Object".count))] : [word]
            }
            if let key = candidates.first(where: { entity.property(named: $0)?.isToMany == true }) {
                (self.kind, self.key) = (kind, key)
                return
            }
        }
        preconditionFailure("\(entity.name) has no to-many relationship that \(name) could change")
    }

    func perform(_ owner: NSManagedObject, _ arguments: [Any]) {
        let isOrdered = owner.modelEntity.property(named: key)?.relationship?.isOrdered == true
        let objects = arguments.first.map { Self.objects(in: $0) } ?? []
        guard isOrdered else {
            let set: MutableObjectSet = owner.mutableSetValue(forKey: key)
            if kind == .remove { set.minus(objects) } else { set.union(objects) }
            return
        }
        let list: MutableOrderedObjectSet = owner.mutableOrderedSetValue(forKey: key)
        switch kind {
        case .add: for object in objects where !list.contains(object) { list.add(object) }
        case .remove:
            if let index = arguments.first as? Int {
                list.remove(at: index)
            } else if let indexes = arguments.first as? NSIndexSet {
                for index in IndexSet(indexes).reversed() { list.remove(at: index) }
            } else {
                for object in objects { list.remove(object) }
            }
        case .insert: insert(objects, arguments.dropFirst().first, into: list)
        case .replace:
            // The place first, then what stands there.
            let indexes = Self.indexes(arguments.first), replacing = arguments.dropFirst().first
            for index in indexes.reversed() { list.remove(at: index) }
            insert(replacing.map { Self.objects(in: $0) } ?? [], arguments.first, into: list)
        }
    }

    private func insert(_ objects: [ManagedObject], _ place: Any?, into list: MutableOrderedObjectSet) {
        for (index, object) in zip(Self.indexes(place), objects) {
            list.insert(object, at: Swift.min(index, list.count))
        }
    }

    private static func indexes(_ value: Any?) -> [Int] {
        if let index = value as? Int { return [index] }
        if let indexes = value as? NSIndexSet { return Array(IndexSet(indexes)) }
        return (value as? IndexSet).map { Array($0) } ?? []
    }

    private static func objects(in value: Any) -> [ManagedObject] {
        if let object = value as? ManagedObject { return [object] }
        return (BridgedValue.elements(of: value) ?? []).compactMap { $0 as? ManagedObject }
    }
}
