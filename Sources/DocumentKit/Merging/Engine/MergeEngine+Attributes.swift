internal import DocumentFiles
internal import Schema

/// What the attributes of the merged document are.
extension MergeEngine {
    mutating func mergeAttributes() {
        for name in theirs.keys.inOrder() where !gone.contains(name) {
            guard let change = theirs[name], change.change != .removed else { continue }
            guard isInOurs(name) else {
                insertAttributes(name, change)
                continue
            }
            for (property, pair) in change.properties.sorted(by: { $0.key < $1.key }) {
                guard case .attribute(let attribute)? = schema[name.entity, property]?.kind else { continue }
                guard let mine = ours[name]?.properties[property] else {
                    set(pair.new, property, of: name)
                    continue
                }
                merge(attribute, name, mine, pair)
            }
        }
        // Deleted here and unchanged there, but something new leads to them.
        for name in kept where !isInOurs(name) && theirs[name] == nil { insertAttributes(name, nil) }
    }

    /// Of an object that ours lacks: what theirs made, or what it was before ours deleted it with
    /// what theirs has changed.
    private mutating func insertAttributes(_ name: MergeName, _ change: MergeChange?) {
        let known = schema.properties(of: name.entity)
        var values = merged[name] ?? [:]
        if let change { values.reserveCapacity(change.properties.count) }
        for (property, pair) in ours[name]?.properties ?? [:] {
            if case .attribute? = known[property]?.kind { values[property] = pair.old }
        }
        for (property, pair) in change?.properties ?? [:] {
            if case .attribute? = known[property]?.kind { values[property] = pair.new }
        }
        merged[name] = values
    }

    private mutating func merge(
        _ attribute: AttributeDescription, _ name: MergeName, _ mine: MergeChange.Pair, _ other: MergeChange.Pair
    ) {
        let choose = self.choose
        func choice(_ conflict: AttributeMerge.Conflict) -> DocumentMerge.Choice? {
            choose(name, ([attribute.name] + conflict.path).joined(separator: "."))
        }
        var merge = AttributeMerge { conflict in
            switch choice(conflict) {
            case .theirs: conflict.theirs
            case .value(let value): value
            case .ours, nil: conflict.ours
            }
        }
        let value = merge.merge(
            attribute, base: mine.old.attribute, ours: mine.new.attribute, theirs: other.new.attribute)
        if !value.isSame(as: mine.new.attribute) { set(.plain(value), attribute.name, of: name) }
        for conflict in merge.conflicts {
            report(
                MergeConflictRecord(
                    kind: .values, object: name, property: ([attribute.name] + conflict.path).joined(separator: "."),
                    base: .plain(conflict.base), ours: .plain(conflict.ours), theirs: .plain(conflict.theirs),
                    choice: choice(conflict)))
        }
    }

    // MARK: Uniqueness

    private struct UniqueKey: Hashable {
        let constraint: MergeSchema.Constraint
        let values: [PropertyValue]
    }

    /// Finds objects that have got the same values of a constraint by what both sides did. The one
    /// that is to give way gets the values of the other side back, or is left out where it is new.
    /// - Throws: What reading unchanged values throws.
    mutating func settleUniqueness() throws {
        guard schema.hasConstraints else { return }
        var holders: [UniqueKey: [MergeName]] = [:]
        for name in Set(ours.keys).union(theirs.keys).inOrder() where isPresent(name) {
            for constraint in schema.constraints(of: name.entity) where isChanged(name, constraint) {
                let values = try constraint.attributes.map { try mergedAttribute(name, $0) }
                if values.contains(where: \.isNull) { continue }
                holders[UniqueKey(constraint: constraint, values: values), default: []].append(name)
            }
        }
        for (key, names) in holders.sorted(by: { $0.value[0] < $1.value[0] }) where names.count > 1 {
            try settle(key, names)
        }
    }

    private func isPresent(_ name: MergeName) -> Bool { !gone.contains(name) && (isInOurs(name) || isInserted(name)) }

    private func isChanged(_ name: MergeName, _ constraint: MergeSchema.Constraint) -> Bool {
        kept.contains(name)
            || constraint.attributes.contains {
                ours[name]?.properties[$0] != nil || theirs[name]?.properties[$0] != nil
            }
    }

    /// An attribute as it is after the merge.
    private func mergedAttribute(_ name: MergeName, _ property: String) throws -> PropertyValue {
        if let value = merged[name]?[property] { return value.attribute }
        if isInserted(name) { return .null }
        if let pair = ours[name]?.properties[property] { return pair.new.attribute }
        return name.origin == .base && ours[name]?.change != .added ? try unchangedValue(name, property) : .null
    }

    private mutating func settle(_ key: UniqueKey, _ names: [MergeName]) throws {
        // Whose values come from theirs alone gives way to whose come from ours, or the other way
        // round.
        let attributes = key.constraint.attributes
        func isByTheirs(_ name: MergeName) -> Bool {
            attributes.contains { merged[name]?[$0] != nil } || isInserted(name)
        }
        guard let first = names.first(where: isByTheirs),
            let rival = names.first(where: { !isByTheirs($0) }) ?? names.first(where: { $0 != first })
        else { return }
        let property = attributes.joined(separator: ","), choice = choose(first, property)
        let value = MergeValue.plain(key.values.count == 1 ? key.values[0] : .list(key.values))
        report(
            MergeConflictRecord(
                kind: .unique, object: first, property: property, base: .null, ours: .object(rival),
                theirs: value, others: names.filter { $0 != first }, choice: choice))
        let winner = choice == .theirs ? first : rival
        for name in names where name != winner {
            giveWay(name, attributes)
            if choice == nil, name.origin == .theirs { outcome.omitted.insert(name) }
        }
    }

    private mutating func giveWay(_ name: MergeName, _ attributes: [String]) {
        if name.origin != .base {
            gone.insert(name)
            return
        }
        for attribute in attributes {
            if isInOurs(name), merged[name]?[attribute] != nil {
                merged[name]?[attribute] = nil
            } else if let pair = ours[name]?.properties[attribute] ?? theirs[name]?.properties[attribute] {
                set(pair.old, attribute, of: name)
            }
        }
    }
}
