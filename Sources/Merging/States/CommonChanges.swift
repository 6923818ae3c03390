package import DocumentFiles
internal import Schema

/// The changes since a base that two states have in common: new objects that are one object, and
/// properties that have the same new value in both. Objects that both have deleted are left out.
struct CommonChanges {
    /// A new object of both states.
    struct NewObject {
        /// Its name in ``changes``.
        let name: MergeName
        /// What the base calls it in the two states.
        let ours: Int64
        let theirs: Int64
    }

    /// New objects have the names of objects of theirs.
    let changes: MergeSide
    let newObjects: [NewObject]

    /// - Parameters:
    ///   - ours: What one state did to the base.
    ///   - theirs: What the other state did to it.
    init(_ schema: MergeSchema, _ ours: MergeSide, _ theirs: MergeSide) {
        let pairs = NewObjectMatching(schema, ours, theirs).pairs
        let known = Set(pairs.values)
        // New objects of theirs alone keep their names, which none of ours has.
        let right = MergeSide(theirs.map { (pairs[$0.name] ?? $0.name, $0.value.renamed(pairs)) })
        func isKnown(_ name: MergeName) -> Bool { name.origin == .base || known.contains(name) }
        let common = ours.compactMap { name, change -> (MergeName, MergeChange)? in
            guard change.change != .removed, isKnown(name), let other = right[name], other.change == change.change
            else { return nil }
            let properties = change.properties.compactMap { property, pair -> (Int, MergeChange.Pair)? in
                guard let theirs = other[property] else { return nil }
                return Self.value(pair, theirs, schema[name.entity, property], isKnown).map { value in
                    (property, MergeChange.Pair(pair.old, value))
                }
            }
            return change.change == .changed && properties.isEmpty
                ? nil : (name, MergeChange(change.change, properties))
        }
        func asNew(_ name: MergeName) -> MergeName { MergeName(name.entity, name.number, .theirs) }
        let names = Dictionary(uniqueKeysWithValues: known.map { ($0, asNew($0)) })
        changes = MergeSide(common.map { (names[$0.0] ?? $0.0, $0.1.renamed(names)) })
        newObjects = pairs.map { NewObject(name: asNew($0.value), ours: $0.value.number, theirs: $0.key.number) }
            .sorted { $0.name < $1.name }
    }

    /// The new value of a property that both sides have; nil for none.
    private static func value(
        _ ours: MergeChange.Pair, _ theirs: MergeChange.Pair, _ property: MergeSchema.Property,
        _ isKnown: (MergeName) -> Bool
    ) -> MergeValue? {
        guard case .toMany(isOrdered: false, _) = property.kind else {
            return ours.new.isSame(as: theirs.new) && ours.new.names.allSatisfy(isKnown) ? ours.new : nil
        }
        // Of a set, what both have added and what both have removed.
        let old = Set(ours.old.names), mine = Set(ours.new.names), other = Set(theirs.new.names)
        let added = mine.intersection(other).subtracting(old).filter(isKnown)
        let removed = old.subtracting(mine).subtracting(other)
        return added.isEmpty && removed.isEmpty ? nil : .members(old.subtracting(removed).union(added).sorted())
    }
}

extension MergeSide {
    /// The part of the changes that a single save of the side made. What the side had done before,
    /// or did later, is left out.
    /// - Parameters:
    ///   - save: What the save changed, by the keys of the side.
    ///   - numbering: How the keys of the side differ from those of the base.
    package func part(of save: MergeSide, _ schema: MergeSchema, _ numbering: StateNumbering) -> MergeSide {
        let saved = Dictionary(
            save.map { name, change in
                let root = schema.rootName(of: name.entity)
                return (MergeName(name.entity, numbering.canonical(abs(name.number), root: root)), change)
            }, uniquingKeysWith: { first, _ in first })
        return MergeSide(
            compactMap { name, change in
                guard let save = saved[MergeName(name.entity, name.number)] else { return nil }
                if save.change == .added { return (name, change) }
                let part = change.part(where: save.has)
                return change.change == .changed && !part.properties.isEmpty ? (name, part) : nil
            })
    }
}
