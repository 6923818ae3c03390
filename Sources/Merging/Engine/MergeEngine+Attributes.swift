internal import DocumentFiles
internal import Schema

/// What the attributes of the merged document are.
extension MergeEngine {
    mutating func mergeAttributes() {
        if ours.isEmpty {
            // By places: an iteration would retain both states of each object.
            for (place, name) in theirs.names.enumerated() where isInserted(name) {
                inserted.append(name, attributes(theirs.values[place].new, of: name))
            }
        } else {
            for name in names(sidesWithKept, where: isInserted) {
                inserted.append(name, attributes(ofInserted: name))
            }
        }
        for (place, name) in theirs.names.enumerated() where isInOurs(name) && !gone.contains(name) {
            let change = theirs.values[place], own = ours[name]
            if change.change == .removed { continue }
            for (property, pair) in change.properties {
                guard case .attribute(let rule) = schema[name.entity, property].kind else { continue }
                if let mine = own?[property] {
                    merge(property, of: name, by: rule, mine, pair)
                } else {
                    set(pair.new, property, of: name)
                }
            }
        }
    }

    /// What theirs made, or what an object was before ours deleted it with what theirs has changed.
    private func attributes(ofInserted name: MergeName) -> ObjectValues {
        let change = theirs[name]
        var values = change?.new ?? ObjectValues()
        if let lost = ours[name] {
            values = lost.old
            for (property, pair) in change?.properties ?? [] { values[property] = pair.new }
        }
        return attributes(values, of: name)
    }

    private func attributes(_ values: ObjectValues, of name: MergeName) -> ObjectValues {
        let entity = schema[name.entity]
        return entity.links.isEmpty ? values : values.part { !entity.properties[$0].isLink }
    }

    private mutating func merge(
        _ property: Int, of name: MergeName, by rule: AttributeMerge.Rule?, _ mine: MergeChange.Pair,
        _ other: MergeChange.Pair
    ) {
        let choose = self.choose, attribute = schema[name.entity, property].name
        func path(_ conflict: AttributeMerge.Conflict) -> String {
            ([attribute] + conflict.path).joined(separator: ".")
        }
        func choice(_ conflict: AttributeMerge.Conflict) -> DocumentMerge.Choice? { choose(name, path(conflict)) }
        var merge = AttributeMerge { conflict in
            switch choice(conflict) {
            case .theirs: conflict.theirs
            case .value(let value): value
            case .ours, nil: conflict.ours
            }
        }
        let value = merge.merge(
            by: rule, base: mine.old.attribute, ours: mine.new.attribute, theirs: other.new.attribute)
        if !value.isSame(as: mine.new.attribute) { set(.plain(value), property, of: name) }
        for conflict in merge.conflicts {
            report(
                MergeConflictRecord(
                    kind: .values, object: name, property: path(conflict), base: .plain(conflict.base),
                    ours: .plain(conflict.ours), theirs: .plain(conflict.theirs), choice: choice(conflict)))
        }
    }

    // MARK: Uniqueness

    private struct UniqueKey: Hashable {
        let constraint: MergeSchema.Constraint.Name
        let values: [PropertyValue]
    }

    /// Finds objects that have got the same values of a constraint by what both sides did. The one
    /// that is to give way gets the values of the other side back, or is left out where it is new.
    /// - Throws: What reading unchanged values throws.
    mutating func settleUniqueness() throws {
        guard schema.hasConstraints else { return }
        var holders: [UniqueKey: [MergeName]] = [:]
        for name in names([ours, theirs], where: { !schema[$0.entity].constraints.isEmpty && isPresent($0) }) {
            for constraint in schema[name.entity].constraints where isChanged(name, constraint) {
                let values = try constraint.attributes.map { try mergedAttribute(name, $0) }
                if values.contains(where: \.isNull) { continue }
                holders[UniqueKey(constraint: constraint.name, values: values), default: []].append(name)
            }
        }
        for (key, names) in holders.sorted(by: { $0.value[0] < $1.value[0] }) where names.count > 1 {
            try settle(key, names)
        }
    }

    private func isPresent(_ name: MergeName) -> Bool { !gone.contains(name) && (isInOurs(name) || isInserted(name)) }

    private func isChanged(_ name: MergeName, _ constraint: MergeSchema.Constraint) -> Bool {
        kept.contains(name)
            || constraint.attributes.contains { ours[name]?.has($0) == true || theirs[name]?.has($0) == true }
    }

    /// An attribute as it is after the merge.
    private func mergedAttribute(_ name: MergeName, _ property: Int) throws -> PropertyValue {
        if isInserted(name) { return inserted[name]?[property]?.attribute ?? .null }
        if let value = edited[name]?[property] { return value.attribute }
        if let pair = ours[name]?[property] { return pair.new.attribute }
        return name.origin == .base && ours[name]?.change != .added ? try unchangedValue(name, property) : .null
    }

    private mutating func settle(_ key: UniqueKey, _ names: [MergeName]) throws {
        // Whose values come from theirs alone gives way to whose come from ours, or the other way
        // round.
        func attributes(of name: MergeName) -> [Int] {
            schema[name.entity].constraints.first { $0.name == key.constraint }?.attributes ?? []
        }
        func isByTheirs(_ name: MergeName) -> Bool {
            attributes(of: name).contains { edited[name]?.has($0) == true } || isInserted(name)
        }
        guard let first = names.first(where: isByTheirs),
            let rival = names.first(where: { !isByTheirs($0) }) ?? names.first(where: { $0 != first })
        else { return }
        let property = key.constraint.attributes.joined(separator: ","), choice = choose(first, property)
        let value = MergeValue.plain(key.values.count == 1 ? key.values[0] : .list(key.values))
        report(
            MergeConflictRecord(
                kind: .unique, object: first, property: property, base: .null, ours: .object(rival),
                theirs: value, others: names.filter { $0 != first }, choice: choice))
        let winner = choice == .theirs ? first : rival
        for name in names where name != winner {
            giveWay(name, attributes(of: name))
            if choice == nil, name.origin == .theirs { outcome.omitted.insert(name) }
        }
    }

    private mutating func giveWay(_ name: MergeName, _ attributes: [Int]) {
        if name.origin != .base {
            gone.insert(name)
            return
        }
        for attribute in attributes {
            if isInOurs(name), edited[name]?.has(attribute) == true {
                edited[name]?[attribute] = nil
            } else if let pair = ours[name]?[attribute] ?? theirs[name]?[attribute] {
                set(pair.old, attribute, of: name)
            }
        }
    }
}
