internal import DocumentFiles
package import ObjectGraph
internal import Schema
package import Storage

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
    package init(
        saved: any StoreBackend, edited: any StoreBackend, present: any StoreBackend,
        _ policy: MergePolicyType, folder: String
    ) throws {
        let schema = MergeSchema(present.identity.model), identity = StateNumbering()
        func side(_ origin: MergeName.Origin, _ store: any StoreBackend) throws -> MergeSide {
            try MergeSideReader(schema: schema, origin: origin, numbering: identity).read(store, since: saved)
        }
        let ours = try side(.ours, present)
        var theirs = try side(.theirs, edited)
        let edits = theirs, keepsEdits = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        if policy == .rollback {
            theirs.update { name, change in
                // What both have changed is told, and no more is done.
                guard change.change == .changed, let other = ours[name] else { return }
                change = change.part { other.has($0) && !schema[name.entity, $0].isToMany }
            }
        }
        var names = MergedNames(present, schema, identity)
        var engine = MergeEngine(
            schema, ours: ours, theirs: theirs, choose: { _, _ in keepsEdits ? .theirs : .ours },
            unchangedValue: { [names] name, property in try names.attribute(property, of: name, in: present) })
        try names.assign(engine.newInTheirs)
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
    package var clashes: [ConflictClash] {
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
        for (name, change) in ours where change.change == .changed {
            guard let edit = edits[name], edit.change == .changed else { continue }
            for (property, pair) in change.properties
            where !edit.has(property) && !schema[name.entity, property].isToMany {
                values.append(ValueEdit(object: name, property: property, value: pair.old))
            }
        }
    }
}
