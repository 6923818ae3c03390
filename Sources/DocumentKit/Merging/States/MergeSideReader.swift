internal import DocumentFiles
internal import Schema
internal import Storage

/// Reads what one side of a merge did since the base.
struct MergeSideReader {
    let origin: MergeName.Origin
    let numbering: StateNumbering

    /// - Parameter base: Nil for a merge without a base: everything is new.
    /// - Throws: What the stores throw.
    func read(_ side: any StoreBackend, since base: (any StoreBackend)?) throws -> MergeSide {
        let schema = MergeSchema(side.identity.model)
        var changes = MergeSide()
        guard let base else {
            try DocumentComparison.forEachObject(of: side, side) { difference in
                try WorkProgress.check()
                add(difference, &changes, schema) { MergeName($0.entity, $0.number, origin) }
            }
            return changes
        }
        var differences: [ObjectDifference] = [], new: Set<MergeName> = []
        try DocumentComparison(from: base, to: side).forEachDifference(base, side, numbering: numbering) {
            try WorkProgress.check()
            differences.append($0)
            if $0.change == .added { new.insert(MergeName($0.entity, $0.number)) }
        }
        for difference in differences {
            add(difference, &changes, schema) { name in
                new.contains(name) ? MergeName(name.entity, name.number, origin) : name
            }
        }
        return changes
    }

    /// - Parameter named: What the merge calls an object of this side.
    private func add(
        _ difference: ObjectDifference, _ changes: inout MergeSide, _ schema: MergeSchema,
        _ named: (MergeName) -> MergeName
    ) {
        func value(_ value: PropertyValue, isNew: Bool) -> MergeValue {
            func name(_ id: ManagedObjectID) -> MergeName {
                let name = MergeName(id.entity.name, id.key)
                return isNew ? named(name) : name
            }
            switch value {
            case .object(let id): return .object(name(id))
            case .list(let values):
                return .members(values.compactMap { if case .object(let id) = $0 { name(id) } else { nil } })
            default: return .plain(value)
            }
        }
        let known = schema.properties(of: difference.entity)
        var properties = [String: MergeChange.Pair](minimumCapacity: difference.properties.count)
        for property in difference.properties where known[property.name] != nil {
            properties[property.name] = .init(value(property.old, isNew: false), value(property.new, isNew: true))
        }
        if difference.change == .changed, properties.isEmpty { return }
        changes[named(MergeName(difference.entity, difference.number))] = MergeChange(difference.change, properties)
    }
}
