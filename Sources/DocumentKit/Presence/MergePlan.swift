internal import DocumentFiles
internal import ObjectGraph
internal import Schema
internal import Storage

/// The edits of one side, prepared for applying them to the other: a three-way merge of both states
/// with their common state.
struct MergePlan: Sendable {
    /// An object by entity and primary key, which identify it in all three states.
    struct Name: Hashable, Sendable {
        var entity: String
        var number: Int64
    }

    /// The change of a property.
    enum Edit: Sendable {
        /// Sets a value. Relationships are given by the primary keys of this side.
        case set(PropertyValue)
        /// Adds and removes members of a to-many relationship. `order` is the order of all members,
        /// if the relationship is ordered and this side decides.
        case members(added: [Name], removed: [Name], order: [Name]?)
    }

    enum Step: Sendable {
        case insert(Name, [String: PropertyValue])
        case edit(Name, [(property: String, Edit)])
        case delete(Name)
    }

    private(set) var steps: [Step] = []
    private(set) var clashes: [ConflictClash] = []

    private let policy: MergePolicyType
    private let model: ManagedObjectModel
    private var keepsMine: Bool { policy == .mergeByPropertyObjectTrump || policy == .overwrite }

    /// - Throws: `GraphError` with code `conflict` if there are contradicting changes and the
    ///   policy is `error`; errors of reading.
    init(saved: any StoreBackend, mine: any StoreBackend, theirs: any StoreBackend, _ policy: MergePolicyType)
        throws
    {
        self.policy = policy
        model = mine.identity.model
        var others: [Name: ObjectDifference] = [:]
        try DocumentComparison(from: saved, to: theirs).forEachDifference {
            others[Name(entity: $0.entity, number: $0.number)] = $0
        }
        var conflicts: [MergeConflict] = []
        try DocumentComparison(from: saved, to: mine).forEachDifference { difference in
            let name = Name(entity: difference.entity, number: difference.number), before = clashes.count
            try add(try difference.withoutDerived(model).inMemory(), others[name]?.withoutDerived(model), name, mine)
            guard policy == .error, clashes.count > before, let entity = model.entity(named: name.entity) else {
                return
            }
            let found = clashes[before...]
            func values(_ value: (ConflictClash) -> PropertyValue) -> [String: PropertyValue] {
                Dictionary(
                    uniqueKeysWithValues: found.compactMap { clash in clash.property.map { ($0, value(clash)) } })
            }
            conflicts.append(
                MergeConflict(
                    objectID: ManagedObjectID(store: mine.identity, entityIndex: entity.index, key: name.number),
                    objectSnapshot: values(\.saved),
                    persistedSnapshot: others[name]?.change == .removed ? nil : values(\.theirs)))
        }
        if !conflicts.isEmpty { throw GraphError.conflict(conflicts) }
    }

    private mutating func add(
        _ mine: ObjectDifference, _ theirs: ObjectDifference?, _ name: Name, _ store: any StoreBackend
    ) throws {
        switch (mine.change, theirs?.change) {
        case (.added, _):
            // The other side may have inserted a different object with this primary key, or the
            // same object.
            if let theirs, theirs.change == .added, theirs.properties.isSame(as: mine.properties) { break }
            steps.append(.insert(name, mine.values))
        case (.removed, nil): steps.append(.delete(name))
        case (.removed, .removed): break
        case (.removed, _):
            clashes.append(ConflictClash(object: mine.object, property: nil, isMineKept: keepsMine))
            if keepsMine { steps.append(.delete(name)) }
        case (.changed, .removed):
            clashes.append(ConflictClash(object: mine.object, property: nil, isMineKept: keepsMine))
            // Insert the object again, with its values on this side.
            if keepsMine { steps.append(.insert(name, try wholeObject(name, store))) }
        case (.changed, _):
            let edits = mine.properties.compactMap { property in
                edit(property, theirs?.properties.first { $0.name == property.name }, mine)
            }
            if policy == .rollback, theirs != nil { return }
            if !edits.isEmpty { steps.append(.edit(name, edits)) }
            if policy == .overwrite, let theirs { steps.append(.edit(name, restored(theirs, besides: mine))) }
        }
    }

    /// The edit for a property that was changed here; nil if the other side's value is kept.
    private mutating func edit(_ mine: PropertyDifference, _ theirs: PropertyDifference?, _ object: ObjectDifference)
        -> (property: String, Edit)?
    {
        let property = model.entity(named: object.entity)?.property(named: mine.name)
        if property?.isToMany == true {
            let before = mine.old.names, after = mine.new.names, known = Set(before), present = Set(after)
            let isOrdered = property?.relationship?.isOrdered == true
            return (
                mine.name,
                .members(
                    added: after.filter { !known.contains($0) }, removed: before.filter { !present.contains($0) },
                    order: isOrdered && (theirs == nil || keepsMine) ? after : nil)
            )
        }
        if let theirs, theirs.new.isSame(as: mine.new) { return nil }
        if let theirs {
            clashes.append(
                ConflictClash(
                    object: object.object, property: mine.name, saved: mine.old, mine: mine.new, theirs: theirs.new,
                    isMineKept: keepsMine))
            if !keepsMine { return nil }
        }
        return (mine.name, .set(mine.new))
    }

    /// Edits that restore the values that only the other side has changed.
    private func restored(_ theirs: ObjectDifference, besides mine: ObjectDifference) -> [(property: String, Edit)] {
        theirs.properties.filter { property in
            model.entity(named: theirs.entity)?.property(named: property.name)?.isToMany == false
                && !mine.properties.contains { $0.name == property.name }
        }.map { ($0.name, .set($0.old)) }
    }

    /// All values of an object on this side.
    private func wholeObject(_ name: Name, _ store: any StoreBackend) throws -> [String: PropertyValue] {
        guard let entity = store.identity.model.entity(named: name.entity) else { return [:] }
        let cursor = RowCursor(
            store, store.identity, entity,
            members: ComparedProperty.pairs(nil, (entity, store)).compactMap { $0.new?.memberIndex },
            after: name.number - 1)
        try cursor.advance()
        guard cursor.key == name.number else { return [:] }
        let differences = try ComparedProperty.pairs(nil, (entity, store)).compactMap { try $0.difference(nil, cursor) }
        return try ObjectDifference(change: .added, entity: name.entity, number: name.number, properties: differences)
            .withoutDerived(model).inMemory().values
    }
}

extension ObjectDifference {
    fileprivate var values: [String: PropertyValue] {
        Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0.new) })
    }

    /// The difference without properties that are derived from other values.
    fileprivate func withoutDerived(_ model: ManagedObjectModel) -> ObjectDifference {
        var difference = self
        let entity = model.entity(named: self.entity)
        difference.properties.removeAll { entity?.property(named: $0.name)?.attribute?.isDerived == true }
        return difference
    }

    /// The difference with large values read into memory, because their files are deleted before
    /// the values are used.
    fileprivate func inMemory() throws -> ObjectDifference {
        var difference = self
        for index in properties.indices {
            if case .large(let value) = properties[index].new {
                difference.properties[index].new = .data(try value.data())
            }
        }
        return difference
    }
}

extension [PropertyDifference] {
    fileprivate func isSame(as other: [PropertyDifference]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.name == $1.name && $0.new.isSame(as: $1.new) }
    }
}

extension PropertyValue {
    /// The destination objects of a relationship's value.
    var names: [MergePlan.Name] {
        switch self {
        case .object(let id): [MergePlan.Name(entity: id.entity.name, number: id.key)]
        case .list(let values): values.flatMap(\.names)
        default: []
        }
    }
}
