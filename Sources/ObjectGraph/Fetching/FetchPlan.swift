import Query
import Schema
import Storage

/// A fetch request that was validated against the model.
struct FetchPlan {
    /// A property that the request reads from objects that it does not select.
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
    /// The UUIDs of the stores to query; nil for all.
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

    /// The request for the stored objects that unsaved changes are merged with. Offset and limit
    /// apply to the merged result.
    func rowRequest(besides overlay: FetchOverlay) -> RowRequest {
        var request = rowRequest
        request.excludedKeys = overlay.excludedKeys
        request.offset = 0
        request.limit = limit.map { $0.addingReportingOverflow(offset) }.flatMap { $0.overflow ? nil : $0.partialValue }
        if overlay.reachesFurther {
            request.selection = .matching(nil)
            request.limit = nil
        }
        return request
    }

    /// The properties of other objects that the predicate and the sort order read. A change of one
    /// of them can affect the result although the selected objects did not change.
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
                    // After an operator or a variable the entity is unknown, so the name can mean
                    // the property of any entity.
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

/// The unsaved changes that concern a request.
struct FetchOverlay {
    /// Objects with changes. The request is evaluated in memory on their current values.
    var objects: [ManagedObject] = []
    /// The primary keys that the store must leave out: those of `objects` and of deleted objects.
    var excludedKeys: [Int64] = []
    /// Whether the request reads a changed property of an object that it does not select. Then the
    /// predicate is evaluated in memory on all objects of the entity.
    var reachesFurther = false

    var isEmpty: Bool { objects.isEmpty && excludedKeys.isEmpty && !reachesFurther }
}

extension CompiledSort {
    /// Merges two sorted lists. Of equal objects, those of `first` come first.
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

    /// The end of the objects that are not greater. Uses an exponential search, then a binary
    /// search, so that few values of a long list are read.
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
