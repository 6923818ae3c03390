extension DocumentMerge.Report {
    /// What a plan would do.
    init(_ plan: PlannedMerge, _ violations: [DocumentMerge.Conflict]) {
        let outcome = plan.outcome, names = plan.names
        base = plan.baseName
        isOtherDocument = plan.isOtherDocument
        notes = plan.notes
        for name in outcome.insertions.keys { inserted[name.entity, default: 0] += 1 }
        let edited = Set(outcome.values.map(\.object)).union(outcome.members.map(\.owner))
        for name in edited where outcome.insertions[name] == nil { changed[name.entity, default: 0] += 1 }
        for name in outcome.deletions { deleted[name.entity, default: 0] += 1 }
        renumbered = names.renumbered(outcome.insertions.keys.filter { $0.origin == .theirs })
        united = outcome.united.sorted { $0.key < $1.key }.map {
            ("\($0.key.entity)/p\(abs($0.key.number))", names.label($0.value))
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
