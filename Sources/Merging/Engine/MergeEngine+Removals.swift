internal import DocumentFiles
internal import Schema

/// Which objects the merged document has.
extension MergeEngine {
    mutating func findRemovals() {
        removedByOurs = ours.removedNames
        removedByTheirs = theirs.removedNames
        let both = removedByOurs.intersection(removedByTheirs)
        gone.formUnion(both)
        judge(removedByOurs.subtracting(both), byOurs: true)
        judge(removedByTheirs.subtracting(both), byOurs: false)
        keepRequired()
    }

    private mutating func judge(_ removed: Set<MergeName>, byOurs: Bool) {
        guard !removed.isEmpty else { return }
        let targets = newTargets(of: byOurs ? theirs : ours, byOurs ? removedByTheirs : removedByOurs)
        for name in removed.sorted() {
            let other = byOurs ? theirs[name] : ours[name]
            let isUndeletable = !byOurs && undeletable.contains(name)
            let isContested = isUndeletable || undecided.contains(name)
            guard isContested || other.map({ isTouched($0, name) }) == true || targets.contains(name) else {
                gone.insert(name)
                continue
            }
            let choice = choose(name, nil)
            report(
                MergeConflictRecord(
                    kind: .deletedChanged, object: name, base: .object(name), ours: byOurs ? .null : .object(name),
                    theirs: byOurs ? .object(name) : .null,
                    message: isUndeletable ? "deleting it would violate a rule of the model" : nil, choice: choice))
            if choice == (byOurs ? .ours : .theirs) { gone.insert(name) } else { kept.insert(name) }
        }
    }

    /// The objects that a side's new links lead to.
    private func newTargets(of side: MergeSide, _ removed: Set<MergeName>) -> Set<MergeName> {
        var targets: Set<MergeName> = []
        for (_, change) in side where change.change != .removed {
            for (property, value) in change.new {
                let new = value.names
                if new.isEmpty { continue }
                let old = Set(change.old[property]?.names ?? [])
                for name in new where name.origin == .base && !old.contains(name) { targets.insert(name) }
            }
        }
        return targets
    }

    /// Whether a side has changed an object itself. To lose links, to deleted objects or others, is
    /// no change of a list.
    private func isTouched(_ change: MergeChange, _ name: MergeName) -> Bool {
        let removed = removedByOurs.contains(name) ? removedByTheirs : removedByOurs
        return change.properties.contains { property, pair in
            switch schema[name.entity, property].kind {
            case .attribute: true
            case .toOne: !(pair.new.isNull && pair.old.target.map { removed.contains($0) } == true)
            case .oneToOne: !pair.new.isNull
            case .toMany(let isOrdered, _):
                isOrdered
                    ? pair.new.names != pair.old.names.filter(Set(pair.new.names).contains)
                    : !Set(pair.new.names).isSubset(of: pair.old.names)
            }
        }
    }

    /// What is kept keeps what it can't be without.
    private mutating func keepRequired() {
        var waiting = Array(kept)
        while let name = waiting.popLast() {
            let byOurs = removedByOurs.contains(name)
            for (property, old) in (byOurs ? ours : theirs)[name]?.old ?? ObjectValues() {
                guard schema[name.entity, property].isRequired else { continue }
                let value = (byOurs ? theirs : ours)[name]?[property]?.new ?? old
                for target in value.names
                where gone.contains(target) && (byOurs ? removedByOurs : removedByTheirs).contains(target)
                    && !(byOurs ? removedByTheirs : removedByOurs).contains(target)
                {
                    gone.remove(target)
                    kept.insert(target)
                    waiting.append(target)
                }
            }
        }
    }
}
