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
        var differences: [ObjectDifference] = []
        if let base {
            try DocumentComparison(from: base, to: side).forEachDifference(base, side, numbering: numbering) {
                try WorkProgress.check()
                differences.append($0)
            }
        } else {
            try DocumentComparison.forEachObject(of: side, side) {
                try WorkProgress.check()
                differences.append($0)
            }
        }
        var new: Set<MergeName> = []
        for difference in differences where difference.change == .added {
            new.insert(MergeName(difference.entity, difference.number))
        }
        let schema = MergeSchema(side.identity.model)
        var changes = MergeSide(minimumCapacity: differences.count)
        for difference in differences {
            func named(_ name: MergeName) -> MergeName {
                new.contains(name) ? MergeName(name.entity, name.number, origin) : name
            }
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
            var properties: [String: MergeChange.Pair] = [:]
            for property in difference.properties where schema[difference.entity, property.name] != nil {
                properties[property.name] = .init(
                    value(property.old, isNew: false), value(property.new, isNew: true))
            }
            if difference.change == .changed, properties.isEmpty { continue }
            changes[named(MergeName(difference.entity, difference.number))] = MergeChange(difference.change, properties)
        }
        return changes
    }
}
