internal import DocumentFiles
internal import Schema

/// What the objects of the merged document lead to.
extension MergeEngine {
    mutating func mergeLinks() {
        for name in names(sidesWithKept, where: { schema.hasLinks($0.entity) && !gone.contains($0) }) {
            let entity = schema[name.entity], mine = ours[name], other = theirs[name]
            for property in entity.links {
                let pairs = (ours: mine?[property], theirs: other?[property])
                if pairs.ours == nil, pairs.theirs == nil { continue }
                switch entity.properties[property].kind {
                case .toOne: mergeToOne(name, property, pairs)
                case .toMany(let isOrdered, let isOrderOnly):
                    mergeToMany(name, property, pairs, isOrdered: isOrdered, isOrderOnly: isOrderOnly)
                case .attribute, .oneToOne: break
                }
            }
        }
        removeFromDeletedOwners()
    }

    // MARK: What a side says of a property

    /// A property in the three states, as far as the sides have changed it.
    struct Link {
        var base = MergeValue.null
        /// Nil where the side has not changed it, or lost the link only since it deleted the object
        /// at its other end.
        var ours: MergeValue?
        var theirs: MergeValue?
        /// What ours has now.
        var current = MergeValue.null
    }

    /// What each side changed of a property.
    typealias Pairs = (ours: MergeChange.Pair?, theirs: MergeChange.Pair?)

    func link(_ name: MergeName, _ pairs: Pairs) -> Link {
        let (mine, other) = pairs
        var link = Link()
        link.base = mine?.old ?? other?.old ?? .null
        if isInOurs(name) {
            link.current = mine?.new ?? link.base
            link.ours = mine.flatMap { isConsequence($0, removedByOurs) ? nil : $0.new }
        }
        // An object that theirs has deleted and that is kept: theirs says nothing of it.
        if !removedByTheirs.contains(name) {
            link.theirs = other.flatMap { isConsequence($0, removedByTheirs) ? nil : $0.new }
        }
        return link
    }

    private func isConsequence(_ pair: MergeChange.Pair, _ removed: Set<MergeName>) -> Bool {
        guard pair.new.isNull, let target = pair.old.target else { return false }
        return removed.contains(target)
    }

    /// Without objects that the merged document does not have.
    func present(_ value: MergeValue) -> MergeValue {
        switch value {
        case .plain: value
        case .object(let name): gone.contains(name) ? .null : value
        case .members(let names): .members(names.filter { !gone.contains($0) })
        }
    }

    // MARK: To-one

    private mutating func mergeToOne(_ name: MergeName, _ property: Int, _ pairs: Pairs) {
        let link = link(name, pairs), value: MergeValue
        switch (link.ours, link.theirs) {
        case (let mine?, let other?) where !mine.isSame(as: other):
            value = decide(name, property, link.base, mine, other)
        case (let mine?, _): value = mine
        case (nil, let other?): value = other
        case (nil, nil): value = link.base
        }
        let wanted = present(value)
        if isInserted(name) {
            if !wanted.isNull { set(wanted, property, of: name) }
        } else if !wanted.isSame(as: link.current) {
            set(wanted, property, of: name)
        }
    }

    func decideValue(_ choice: DocumentMerge.Choice?, _ mine: MergeValue, _ other: MergeValue) -> MergeValue {
        choice == .theirs ? other : mine
    }

    mutating func decide(
        _ name: MergeName, _ number: Int, _ base: MergeValue, _ mine: MergeValue, _ other: MergeValue
    ) -> MergeValue {
        let property = schema[name.entity, number].name, choice = choose(name, property)
        report(
            MergeConflictRecord(
                kind: .values, object: name, property: property, base: base, ours: mine, theirs: other, choice: choice))
        return decideValue(choice, mine, other)
    }

    // MARK: To-many

    private mutating func mergeToMany(
        _ name: MergeName, _ property: Int, _ pairs: Pairs, isOrdered: Bool, isOrderOnly: Bool
    ) {
        let mine = pairs.ours, other = removedByTheirs.contains(name) ? nil : pairs.theirs
        let base = (mine?.old ?? pairs.theirs?.old ?? .null).names
        let isHere = isInOurs(name)
        let left = isHere ? mine?.new.names ?? base : base, right = other?.new.names ?? base
        let inBase = Set(base), inOurs = Set(left), inTheirs = Set(right)
        func stays(_ member: MergeName) -> Bool {
            if gone.contains(member) { return false }
            guard inBase.contains(member) else { return true }
            return (inOurs.contains(member) || removedByOurs.contains(member))
                && (inTheirs.contains(member) || removedByTheirs.contains(member))
        }
        var seen: Set<MergeName> = [], members: [MergeName] = []
        for member in left + right + base where stays(member) && seen.insert(member).inserted { members.append(member) }
        if isOrdered, inTheirs != inBase || inOurs != inBase || right != base || left != base {
            members = SequenceMerge.order(base: base, ours: left, theirs: right, members: members)
        }
        guard isHere else { return set(.members(members), property, of: name) }
        let added = members.filter { !inOurs.contains($0) }, removed = left.filter { !seen.contains($0) }
        let isMoved = isOrdered && left.filter(seen.contains) != members.filter(inOurs.contains)
        if isOrderOnly {
            guard right != base, !added.isEmpty || isMoved else { return }
            return edit(.init(owner: name, property: property, added: [], removed: [], order: members))
        }
        guard !added.isEmpty || !removed.isEmpty || isMoved else { return }
        edit(
            .init(
                owner: name, property: property, added: added, removed: removed,
                order: isOrdered && right != base ? members : nil))
    }

    /// A deletion must not take with it what is kept.
    private mutating func removeFromDeletedOwners() {
        guard !kept.isEmpty else { return }
        for name in gone.sorted() where isInOurs(name) {
            for (property, value) in theirs[name]?.old ?? ObjectValues() {
                guard schema[name.entity, property].isToMany else { continue }
                let members = value.names.filter { kept.contains($0) && isInOurs($0) }
                if !members.isEmpty { edit(.init(owner: name, property: property, added: [], removed: members)) }
            }
        }
    }
}
