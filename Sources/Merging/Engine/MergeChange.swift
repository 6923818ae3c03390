package import DocumentFiles

/// What one side of a merge did to an object since the base.
package struct MergeChange: Sendable {
    /// A property that differs.
    package struct Pair: Sendable {
        package var old: MergeValue
        package var new: MergeValue

        package init(_ old: MergeValue, _ new: MergeValue) {
            self.old = old
            self.new = new
        }
    }

    package let change: ObjectDifference.Change
    /// The values of the base and of the side, of the properties that differ and without those that
    /// are null. Of an object that was added or removed, one of the two is empty. Of two
    /// relationships that are inverse to each other, the links are told once, as
    /// ``DocumentComparison`` does.
    let old: ObjectValues
    let new: ObjectValues

    init(_ change: ObjectDifference.Change, old: ObjectValues = ObjectValues(), new: ObjectValues = ObjectValues()) {
        self.change = change
        self.old = old
        self.new = new
    }

    /// - Parameter properties: By the numbers of the properties.
    package init(_ change: ObjectDifference.Change, _ properties: some Sequence<(Int, Pair)>) {
        var old = ObjectValues(), new = ObjectValues()
        for (property, pair) in properties {
            if !pair.old.isNull { old[property] = pair.old }
            if !pair.new.isNull { new[property] = pair.new }
        }
        self.init(change, old: old, new: new)
    }

    /// A property that differs; nil for one that does not.
    subscript(property: Int) -> Pair? {
        let old = self.old[property], new = self.new[property]
        return old == nil && new == nil ? nil : Pair(old ?? .null, new ?? .null)
    }

    func has(_ property: Int) -> Bool { old.has(property) || new.has(property) }

    /// The properties that differ, in the order of their numbers.
    var properties: [(property: Int, pair: Pair)] {
        var pairs = old.map { (property: $0.property, pair: Pair($0.value, new[$0.property] ?? .null)) }
        for (property, value) in new where !old.has(property) { pairs.append((property, Pair(.null, value))) }
        return pairs.sorted { $0.property < $1.property }
    }

    /// The objects that links lead to, or led to in the base.
    var linkedNames: [MergeName] { (Array(old) + Array(new)).flatMap(\.value.names) }

    func part(where isIncluded: (Int) -> Bool) -> MergeChange {
        MergeChange(change, old: old.part(where: isIncluded), new: new.part(where: isIncluded))
    }

    /// The change without what it does to links to some objects: none is added, none removed.
    func keepingLinks(to isKept: (MergeName) -> Bool) -> MergeChange {
        guard linkedNames.contains(where: isKept) else { return self }
        return MergeChange(
            change,
            properties.compactMap { property, pair in
                guard (pair.old.names + pair.new.names).contains(where: isKept) else { return (property, pair) }
                switch pair.new.isNull ? pair.old : pair.new {
                case .members:
                    let old = pair.old.names
                    let members =
                        pair.new.names.filter { !isKept($0) || old.contains($0) }
                        + old.filter { isKept($0) && !pair.new.names.contains($0) }
                    return (property, Pair(pair.old, .members(members)))
                case .object, .plain: return nil
                }
            })
    }

    func renamed(_ names: [MergeName: MergeName]) -> MergeChange {
        func renamed(_ values: ObjectValues) -> ObjectValues {
            var values = values
            values.replace { $0.names.isEmpty ? nil : $0.renamed(names) }
            return values
        }
        return MergeChange(change, old: renamed(old), new: renamed(new))
    }
}

/// What one side did, by object.
package typealias MergeSide = ObjectTable<MergeChange>

extension MergeSide {
    /// The objects that the side has deleted.
    var removedNames: Set<MergeName> {
        var removed: Set<MergeName> = []
        for (place, name) in names.enumerated() where values[place].change == .removed { removed.insert(name) }
        return removed
    }
}
