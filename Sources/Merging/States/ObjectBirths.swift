internal import DocumentFiles
internal import RowMemory
internal import Schema
internal import Storage

/// Tells which objects of a side of a merge are others than those that the base has by their keys.
///
/// An older state that came back may have given a key once more, to another object. Where the
/// histories say that a key was given after the side and the base parted, there are two objects.
/// Where they say nothing, the values decide: an object is the one of the base if it has the same
/// values of a uniqueness constraint or most of its values.
struct ObjectBirths {
    /// How a side comes from the base.
    enum Descent {
        /// It was the base once: each key stands for one object.
        case known
        /// They parted at a state with these keys.
        case parted(GreatestKeys)
        case unknown
        /// Both are SQLite stores that nobody has merged, and that note no history.
        case unnoted
    }

    /// A side, compared with the base by keys alone.
    struct Side {
        let store: any StoreBackend
        let changes: MergeSide
        let numbering: StateNumbering
        let descent: Descent
    }

    private let schema: MergeSchema
    private let base: any StoreBackend

    init(_ schema: MergeSchema, base: any StoreBackend) {
        self.schema = schema
        self.base = base
    }

    /// The keys of each side that stand for other objects than in the base.
    func others(_ ours: Side, _ theirs: Side) throws -> (ours: Set<StateNumbering.Key>, theirs: Set<StateNumbering.Key>)
    {
        let mine = try candidates(ours), other = try candidates(theirs)
        // Values decide only where the other side has to do with the object, and not where both
        // sides may have the same one: that they changed it in different ways is told as a
        // conflict.
        func disputed(_ side: Candidates, _ against: Candidates, _ other: MergeSide) -> Set<MergeName> {
            let open = side.likely.subtracting(against.likely).subtracting(against.certain)
            if open.isEmpty { return [] }
            let targets = newTargets(of: other)
            return open.filter { other[$0]?.change == .changed || targets.contains($0) }
        }
        return (
            keys(mine.certain.union(disputed(mine, other, theirs.changes))),
            keys(other.certain.union(disputed(other, mine, ours.changes)))
        )
    }

    private struct Candidates {
        var certain: Set<MergeName> = []
        var likely: Set<MergeName> = []
    }

    private func keys(_ names: Set<MergeName>) -> Set<StateNumbering.Key> {
        Set(names.map { .init(root: schema.rootName(of: $0.entity), number: $0.number) })
    }

    private func newTargets(of side: MergeSide) -> Set<MergeName> {
        var targets: Set<MergeName> = []
        for (_, change) in side where change.change != .removed {
            for (property, value) in change.new {
                targets.formUnion(Set(value.names).subtracting(change.old[property]?.names ?? []))
            }
        }
        return targets
    }

    // MARK: One side

    private func candidates(_ side: Side) throws -> Candidates {
        var found = Candidates()
        found.certain = otherEntities(side)
        if case .known = side.descent { return found }
        var changed: [Int: [MergeName]] = [:]
        for (name, change) in side.changes where change.change == .changed {
            guard !side.numbering.differs(name.number, root: schema.rootName(of: name.entity)),
                schema[name.entity].attributes.contains(where: change.has)
            else { continue }
            if case .parted(let keys) = side.descent, name.number <= keys[schema.rootName(of: name.entity)] { continue }
            changed[name.entity, default: []].append(name)
        }
        for (entity, names) in changed {
            let old = try rows(base, entity, names), new = try rows(side.store, entity, names)
            for name in names {
                guard let old = old[name.number], let new = new[name.number] else { continue }
                let likeness = Likeness(old.values, new.values, schema[entity])
                if likeness.hasSameUniqueValues { continue }
                if case .parted = side.descent {
                    found.certain.insert(name)
                } else if case .unnoted = side.descent, new.version <= old.version {
                    // Every change of an object raises its version.
                    found.certain.insert(name)
                } else if !likeness.isLikelyOne {
                    found.likely.insert(name)
                }
            }
        }
        return found
    }

    /// Objects of the base whose keys the side has for objects of other entities.
    private func otherEntities(_ side: Side) -> Set<MergeName> {
        var added: Set<StateNumbering.Key> = []
        for (name, change) in side.changes where change.change == .added && name.number > 0 {
            added.insert(.init(root: schema.rootName(of: name.entity), number: name.number))
        }
        guard !added.isEmpty else { return [] }
        return Set(
            side.changes.removedNames.filter {
                added.contains(.init(root: schema.rootName(of: $0.entity), number: $0.number))
            })
    }

    private struct Stored {
        let version: Int64
        let values: (Int) -> PropertyValue
    }

    private func rows(_ store: any StoreBackend, _ number: Int, _ names: [MergeName]) throws -> [Int64: Stored] {
        guard let entity = store.identity.model.entity(named: schema[number].name) else { return [:] }
        let slots = store.layouts[entity.index].slots
        let places = Dictionary(
            uniqueKeysWithValues: schema[number].attributes.compactMap { attribute in
                entity.property(named: schema[number, attribute].name).map { (attribute, slots[$0.index]) }
            })
        let rows = try store.rows(
            RowRequest(entityIndex: entity.index, includesSubentities: false, selection: .keys(names.map(\.number))))
        return Dictionary(
            (0..<rows.count).map { index in
                let row = rows[index]
                return (row.key, Stored(version: row.version) { places[$0].map { row.value($0) } ?? .null })
            }, uniquingKeysWith: { first, _ in first })
    }
}

/// How much two objects of one entity have in common, by their attributes.
struct Likeness {
    /// Whether a uniqueness constraint says that they are one.
    private(set) var hasSameUniqueValues = false
    private var equal = 0
    private var different = 0

    /// Whether they have the same unique values, or at least as many equal values as different
    /// ones.
    var isLikelyOne: Bool { hasSameUniqueValues || equal >= different }
    /// Whether they may also be one where that is told: as a conflict of a value.
    var mayBeOne: Bool { isLikelyOne || different == 1 }

    /// - Parameters:
    ///   - old: The value of an attribute by its number.
    ///   - new: That of the other object.
    init(_ old: (Int) -> PropertyValue, _ new: (Int) -> PropertyValue, _ entity: MergeSchema.Entity) {
        for attribute in entity.attributes {
            let left = old(attribute), right = new(attribute)
            if left.isNull { continue }
            // That both have what every new object has says nothing.
            guard left.isSame(as: right) else {
                different += 1
                continue
            }
            if !left.isSame(as: entity.defaultValue(attribute)) { equal += 1 }
        }
        hasSameUniqueValues = entity.constraints.contains { constraint in
            constraint.attributes.allSatisfy { !old($0).isNull && old($0).isSame(as: new($0)) }
        }
    }
}
