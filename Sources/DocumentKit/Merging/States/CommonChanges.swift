internal import DocumentFiles

/// The changes since a base that two states have in common: new objects that are one object, and
/// properties that have the same new value in both. Objects that both have deleted are left out.
struct CommonChanges {
    /// A new object of both states.
    struct NewObject {
        /// Its name in ``changes``.
        let name: MergeName
        /// Its primary keys in the two states.
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
        // The names of both sides lead to those in the result.
        var names: [MergeName: MergeName] = [:]
        var newObjects: [NewObject] = []
        for (theirs, ours) in pairs {
            let name = MergeName(ours.entity, ours.number, .theirs)
            names[ours] = name
            newObjects.append(NewObject(name: name, ours: abs(ours.number), theirs: abs(theirs.number)))
        }
        let renamedTheirs = pairs.compactMapValues { names[$0] }
        let left = Self.renamed(ours, names), right = Self.renamed(theirs, renamedTheirs)
        let known = Set(names.values)
        changes = MergeSide(
            left.compactMap { name, change in
                guard change.change != .removed, name.origin == .base || known.contains(name),
                    let other = right[name], other.change == change.change
                else { return nil }
                let common = change.part { property in
                    guard let mine = change[property]?.new, let theirs = other[property]?.new,
                        mine.names.allSatisfy({ $0.origin == .base || known.contains($0) })
                    else { return false }
                    return Self.isSame(mine, theirs, schema[name.entity, property])
                }
                return change.change == .changed && common.properties.isEmpty ? nil : (name, common)
            })
        self.newObjects = newObjects.sorted { $0.name < $1.name }
    }

    private static func renamed(_ side: MergeSide, _ names: [MergeName: MergeName]) -> MergeSide {
        MergeSide(
            side.compactMap { name, change in
                // New objects of one state alone are not part of the result.
                name.origin == .base || names[name] != nil ? (names[name] ?? name, change.renamed(names)) : nil
            })
    }

    private static func isSame(_ left: MergeValue, _ right: MergeValue, _ property: MergeSchema.Property) -> Bool {
        if case .toMany(isOrdered: false, _) = property.kind { return Set(left.names) == Set(right.names) }
        return left.isSame(as: right)
    }
}
