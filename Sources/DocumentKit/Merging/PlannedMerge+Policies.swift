internal import DocumentFiles
internal import ObjectGraph
internal import Schema
internal import Storage

extension PlannedMerge {
    /// The edits of an open document, made ready for what another program has put in its place:
    /// that is ours here, and the edits are theirs.
    /// - Parameters:
    ///   - saved: The state that the edits began with.
    ///   - edited: That state with the edits.
    ///   - present: What stands at the document's place.
    ///   - policy: What decides conflicts.
    ///   - folder: Where large values are kept until they are saved.
    /// - Throws: `GraphError` with code `conflict` where something contradicts and the policy is
    ///   `error`; what can't be read.
    init(
        saved: any StoreBackend, edited: any StoreBackend, present: any StoreBackend,
        _ policy: MergePolicyType, folder: String
    ) throws {
        let identity = StateNumbering()
        let ours = try MergeSideReader(origin: .ours, numbering: identity).read(present, since: saved)
        var theirs = try MergeSideReader(origin: .theirs, numbering: identity).read(edited, since: saved)
        let edits = theirs, keepsEdits = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        let schema = MergeSchema(present.identity.model)
        if policy == .rollback {
            for (name, change) in theirs where change.change == .changed {
                // What both have changed is told, and no more is done.
                guard let other = ours[name] else { continue }
                theirs[name]?.properties = change.properties.filter { property, _ in
                    other.properties[property] != nil && !schema.isToMany(name, property)
                }
            }
        }
        let reader = RowReader(present)
        var names = MergedNames(present, identity)
        var engine = MergeEngine(
            present.identity.model, ours: ours, theirs: theirs, choose: { _, _ in keepsEdits ? .theirs : .ours },
            unchangedValue: { [names] name, property in
                try reader.attribute(property, of: name.entity, names.number(of: name))
            })
        try names.assign(engine.newInTheirs, reader)
        var outcome = try engine.run()
        if policy == .error, !outcome.conflicts.isEmpty {
            throw GraphError.conflict(Self.conflicts(outcome.conflicts, names, edits, ours))
        }
        if policy == .overwrite { outcome.restore(ours, besides: edits, schema) }
        try outcome.copyLargeValues(MergedValues(folder))
        self.init(outcome: outcome, names: names)
    }

    /// By object, as a save tells them.
    private static func conflicts(
        _ records: [MergeConflictRecord], _ names: MergedNames, _ edits: MergeSide, _ present: MergeSide
    ) -> [MergeConflict] {
        Dictionary(grouping: records, by: \.object).sorted { $0.key < $1.key }.compactMap { name, records in
            guard let id = names.id(name) else { return nil }
            func values(_ value: (MergeConflictRecord) -> MergeValue) -> [String: PropertyValue] {
                Dictionary(
                    records.compactMap { record in record.property.map { ($0, names.value(value(record))) } },
                    uniquingKeysWith: { first, _ in first })
            }
            return MergeConflict(
                objectID: id, objectSnapshot: values(\.base),
                persistedSnapshot: present[name]?.change == .removed ? nil : values(\.ours))
        }
    }

    /// The conflicts, with the edits as mine.
    var clashes: [ConflictClash] {
        outcome.conflicts.map { record in
            let isWhole = record.property == nil
            return ConflictClash(
                object: names.label(record.object), property: record.property,
                saved: isWhole ? .null : names.value(record.base), mine: isWhole ? .null : names.value(record.theirs),
                theirs: isWhole ? .null : names.value(record.ours), isMineKept: record.choice == .theirs)
        }
    }
}

extension MergeOutcome {
    /// Gives the values that the other side has changed and the edits have not back what they were.
    fileprivate mutating func restore(_ ours: MergeSide, besides edits: MergeSide, _ schema: MergeSchema) {
        for (name, change) in ours.sorted(by: { $0.key < $1.key }) where change.change == .changed {
            guard let edit = edits[name], edit.change == .changed else { continue }
            for (property, pair) in change.properties.sorted(by: { $0.key < $1.key })
            where edit.properties[property] == nil && !schema.isToMany(name, property) {
                values.append(ValueEdit(object: name, property: property, value: pair.old))
            }
        }
    }
}

extension MergeSchema {
    fileprivate func isToMany(_ name: MergeName, _ property: String) -> Bool {
        if case .toMany? = self[name.entity, property]?.kind { true } else { false }
    }
}
