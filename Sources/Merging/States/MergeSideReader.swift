internal import DocumentFiles
internal import Schema
internal import Storage

/// Reads what one side of a merge did since the base.
struct MergeSideReader {
    let schema: MergeSchema
    let origin: MergeName.Origin
    let numbering: StateNumbering

    /// - Parameter base: Nil for a merge without a base: everything is new.
    /// - Throws: What the stores throw.
    func read(_ side: any StoreBackend, since base: (any StoreBackend)?) throws -> MergeSide {
        try base.map { try differences(side, $0) } ?? objects(side)
    }

    // MARK: Without a base

    private func objects(_ side: any StoreBackend) throws -> MergeSide {
        var objects = MergeSide()
        for number in 0..<schema.entityCount {
            guard let entity = side.identity.model.entity(named: schema[number].name) else { continue }
            let compared = ComparedProperty.pairs(nil, (entity, side)).compactMap { property in
                schema[number].number(ofProperty: property.name).map { (number: $0, property: property) }
            }
            let cursor = RowCursor(
                side, side.identity, entity, members: compared.compactMap { $0.property.new?.memberIndex })
            try cursor.advance()
            while let key = cursor.key {
                try WorkProgress.check()
                var values = ObjectValues()
                values.reserveCapacity(compared.count)
                for (number, property) in compared {
                    let value = property.newValue(cursor)
                    if !value.isNull { values.append(number, self.value(value) { new($0) }) }
                }
                objects.append(MergeName(number, key, origin), MergeChange(.added, new: values))
                try cursor.advance()
            }
        }
        return objects
    }

    private func new(_ name: MergeName) -> MergeName { MergeName(name.entity, name.number, origin) }

    // MARK: Since a base

    private func differences(_ side: any StoreBackend, _ base: any StoreBackend) throws -> MergeSide {
        var differences: [(name: MergeName, ObjectDifference)] = [], added: Set<MergeName> = []
        try DocumentComparison(from: base, to: side).forEachDifference(base, side, numbering: numbering) {
            try WorkProgress.check()
            guard let entity = schema.number(ofEntity: $0.entity) else { return }
            let name = MergeName(entity, $0.number)
            differences.append((name, $0))
            if $0.change == .added { added.insert(name) }
        }
        func named(_ name: MergeName) -> MergeName { added.contains(name) ? new(name) : name }
        return MergeSide(
            differences.compactMap { name, difference in
                let entity = schema[name.entity]
                let properties = difference.properties.compactMap { property in
                    entity.number(ofProperty: property.name).map { number in
                        (number, MergeChange.Pair(value(property.old) { $0 }, value(property.new, named)))
                    }
                }
                if difference.change == .changed, properties.isEmpty { return nil }
                return (named(name), MergeChange(difference.change, properties))
            })
    }

    /// - Parameter named: What the merge calls an object.
    private func value(_ value: PropertyValue, _ named: (MergeName) -> MergeName) -> MergeValue {
        func name(_ id: ManagedObjectID) -> MergeName? {
            schema.number(of: id.entity).map { named(MergeName($0, id.key)) }
        }
        switch value {
        case .object(let id): return name(id).map { .object($0) } ?? .null
        case .list(let values):
            return .members(values.compactMap { if case .object(let id) = $0 { name(id) } else { nil } })
        default: return .plain(value)
        }
    }
}
