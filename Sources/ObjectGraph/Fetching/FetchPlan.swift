import Query
import Schema
import Storage

/// A fetch request, checked against the model.
struct FetchPlan {
    /// A property that is read of objects that the request does not select itself.
    struct Reading {
        let family: Range<Int>
        let property: Int
    }

    let entity: EntityDescription
    let includesSubentities: Bool
    let predicate: FetchPredicate?
    var sortKeys: [SortKey]
    var offset: Int
    var limit: Int?
    let refreshes: Bool
    var overlay: FetchOverlay?
    /// The UUIDs of the stores to look in; nil for all.
    var stores: Set<String>?

    init(
        entity: EntityDescription, includesSubentities: Bool, predicate: FetchPredicate?, sortKeys: [SortKey],
        offset: Int,
        limit: Int?, refreshes: Bool
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sortKeys = sortKeys
        self.offset = offset
        self.limit = limit
        self.refreshes = refreshes
    }

    var rowRequest: RowRequest {
        var request = RowRequest(
            entityIndex: entity.index, includesSubentities: includesSubentities, selection: .matching(predicate),
            sortKeys: sortKeys, offset: offset, limit: limit)
        request.stores = stores
        return request
    }

    /// What the condition and the order read beyond the objects' own properties: a change there
    /// decides about objects that did not change themselves.
    func propertiesReadElsewhere(_ model: ManagedObjectModel) -> [Reading] {
        var paths = predicate?.keyPaths ?? []
        paths += sortKeys.flatMap { key in
            key.relevanceQuery == nil
                ? [key.keyPath.split(separator: ".").map(String.init)]
                : (try? key.expression(for: entity, in: model))?.keyPaths ?? []
        }
        var readings: [Reading] = []
        for path in paths where path.count > 1 {
            var current: EntityDescription? = entity
            for (step, name) in path.enumerated() {
                guard let property = current?.property(named: name) else {
                    // Behind an operator or a variable the entity is not known: what the name can
                    // mean anywhere counts.
                    current = nil
                    for entity in model.entities {
                        guard let property = entity.property(named: name) else { continue }
                        readings.append(Reading(family: entity.index..<(entity.index + 1), property: property.index))
                    }
                    continue
                }
                if step > 0, let family = current?.family {
                    readings.append(Reading(family: family, property: property.index))
                }
                current = property.relationship.flatMap { model.destination(of: $0) }
            }
        }
        return readings
    }
}

/// Unsaved changes that concern a request.
struct FetchOverlay {
    /// Objects with changes, whose values decide here.
    var objects: [ManagedObject] = []
    /// Their numbers: the store leaves them out, and deleted ones too.
    var excludedKeys: [Int64] = []
    /// Whether the request reads a changed property of an object that it does not select. Then
    /// conditions are tested here, on all objects of the entity.
    var reachesFurther = false

    var isEmpty: Bool { objects.isEmpty && excludedKeys.isEmpty && !reachesFurther }
}

extension CompiledSort {
    /// Merges two lists that are in order each; of equal ones those of `first` come first.
    func merge(_ first: [ManagedObject], _ second: [ManagedObject]) throws -> [ManagedObject] {
        if second.isEmpty { return first }
        if first.isEmpty { return second }
        var result: [ManagedObject] = []
        result.reserveCapacity(first.count + second.count)
        var next = 0
        for object in second {
            let values = try self.values(of: object)
            let end = try place(of: values, in: first, from: next)
            result += first[next..<end]
            result.append(object)
            next = end
        }
        result += first[next...]
        return result
    }

    /// The end of those that are not greater. Few values of long lists are asked for: distances are
    /// doubled first, then halved.
    private func place(of values: [PropertyValue], in objects: [ManagedObject], from start: Int) throws -> Int {
        var low = start
        var step = 1
        while low + step <= objects.count, try compare(self.values(of: objects[low + step - 1]), values) <= 0 {
            low += step
            step *= 2
        }
        var high = min(low + step - 1, objects.count)
        while low < high {
            let middle = (low + high) / 2
            if try compare(self.values(of: objects[middle]), values) <= 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
