extension DocumentMerge.Report {
    /// What a plan would do.
    package init(_ plan: PlannedMerge, _ violations: [DocumentMerge.Conflict]) {
        let outcome = plan.outcome, names = plan.names
        bases = plan.baseNames
        isOtherDocument = plan.isOtherDocument
        includesUnsavedWork = plan.includesUnsavedWork
        notes = plan.notes
        carried = plan.carried.map { $0.conflict(in: names.identity) }
        func counts(_ objects: some Sequence<MergeName>) -> [String: Int] {
            var counts: [Int: Int] = [:]
            for name in objects { counts[name.entity, default: 0] += 1 }
            return Dictionary(uniqueKeysWithValues: counts.map { (names.schema[$0.key].name, $0.value) })
        }
        inserted = counts(outcome.insertions.names)
        let edited = Set(outcome.values.map(\.object)).union(outcome.members.map(\.owner))
        changed = counts(edited.filter { outcome.insertions[$0] == nil })
        deleted = counts(outcome.deletions)
        renumberings = names.renumbered(outcome.insertions.names)
        united = outcome.united.sorted { $0.key < $1.key }.map {
            ("\(names.entity(of: $0.key))/p\(abs($0.key.number))", names.label($0.value))
        }
        conflicts =
            outcome.conflicts.map { record in
                DocumentMerge.Conflict(
                    kind: record.kind, object: names.label(record.object), property: record.property,
                    base: names.value(record.base), ours: names.value(record.ours), theirs: names.value(record.theirs),
                    others: record.others.map(names.label), message: record.message, choice: record.choice)
            } + violations
    }
}
