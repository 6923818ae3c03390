package import DocumentFiles
internal import Schema
internal import Storage
internal import Synchronization

/// The three states of a merge, compared once. What becomes of ours is decided as often as the
/// rules of the model require.
package final class MergeReading: Sendable {
    /// What is not taken from theirs, since the result would violate a rule of the model: by the
    /// labels of objects.
    package struct Withheld: Sendable {
        /// Objects of which no change is taken, and new objects that are left out.
        package var changes: Set<String> = []
        /// Objects whose relationships theirs does not change by what it did to others. Of two
        /// relationships that are inverse to each other, the links are told at one end.
        package var links: Set<String> = []
        /// Objects whose deletion becomes a conflict.
        package var deletions: Set<String> = []
        /// Those of `changes` that nothing decided.
        package var undecided: Set<String> = []

        package init() {}

        package var count: Int { changes.count + links.count + deletions.count }
    }

    private let schema: MergeSchema
    private let store: any StoreBackend
    private let mine: MergeSide
    private let other: MergeSide
    private let undecidedObjects: Set<MergeName>
    private let carrying: ConflictCarrying
    private let names: MergedNames
    private let noting: MergeNoting
    private let baseNames: [String]
    private let isBaseTemporary: Bool
    private let isOtherDocument: Bool
    private let includesUnsavedWork: Bool
    private let matching: NewObjectMatching.Manner
    private let values: MergedValues
    /// Open, for the large values of theirs.
    private let sources: Mutex<MergeSources>

    /// Reads the three states. Close the reading when the merge is made or refused.
    /// - Parameters:
    ///   - model: The model of stores that carry none.
    ///   - folder: Where large values of theirs are kept until they are saved.
    ///   - depth: The number of joined bases that the merge is part of.
    ///   - isRepeating: Whether what was merged before is merged again by a named base.
    package init(
        _ target: MergeTarget, _ theirs: MergePlace, _ base: DocumentMerge.Base, _ model: ModelChoice, folder: String,
        depth: Int = 0, isRepeating: Bool = false
    ) throws {
        let sources = try MergeSources(target, theirs, base, model, depth: depth, isRepeating: isRepeating)
        schema = MergeSchema(target.model)
        do {
            (mine, other) = try Self.sides(target.store, sources, schema)
        } catch {
            sources.close()
            throw error
        }
        store = target.store
        undecidedObjects = sources.undecidedBase.undecidedObjects(schema)
        carrying = ConflictCarrying(target, sources)
        noting = MergeNoting(target, sources)
        names = MergedNames(target.store, schema, sources.oursNumbering)
        baseNames = sources.baseNames
        isBaseTemporary = sources.isBaseTemporary
        isOtherDocument = sources.theirs.uuid != target.store.identity.uuid
        matching = sources.base != nil ? .exact : isOtherDocument ? .byAttributes : .byKeys
        includesUnsavedWork = sources.theirs.marker?.hasUnsavedWork == true
        values = MergedValues(folder)
        self.sources = Mutex(sources)
    }

    package func close() { sources.withLock { $0.close() } }

    private static func sides(
        _ ours: any StoreBackend, _ sources: MergeSources, _ schema: MergeSchema
    ) throws -> (MergeSide, MergeSide) {
        if sources.isBaseTheirs { return ([:], [:]) }
        // Rows that are no objects would be left behind.
        do { try sources.theirs.store.checkRowCounts() } catch var error as StorageError {
            error.path = error.path ?? sources.theirs.path
            throw error
        }
        let other = try MergeSideReader(schema: schema, origin: .theirs, numbering: sources.theirsNumbering).read(
            sources.theirs.store, since: sources.base)
        if sources.isBaseOurs || other.isEmpty && sources.undecidedBase.isEmpty { return ([:], other) }
        // Of two documents that never were one, ours has no part in the merge unless objects of the
        // two may be one object.
        if sources.base == nil, !schema.hasConstraints, sources.theirs.uuid != ours.identity.uuid,
            try !EqualObjectSearch(other, schema).mayFind(in: ours)
        {
            return ([:], other)
        }
        let mine = try MergeSideReader(schema: schema, origin: .ours, numbering: sources.oursNumbering).read(
            ours, since: sources.base)
        var sides = try sidesByBirth(ours, sources, schema, mine, other) ?? (mine, other)
        guard !sources.undecidedBase.isEmpty else { return sides }
        sources.undecidedBase.apply(schema, to: &sides.0, &sides.1)
        return sides
    }

    /// Reads the sides again where they have keys of the base for objects of their own.
    /// - Returns: Nil where they have none.
    private static func sidesByBirth(
        _ ours: any StoreBackend, _ sources: MergeSources, _ schema: MergeSchema, _ mine: MergeSide, _ other: MergeSide
    ) throws -> (MergeSide, MergeSide)? {
        guard let base = sources.base else { return nil }
        let keys = try ObjectBirths(schema, base: base).others(
            .init(store: ours, changes: mine, numbering: sources.oursNumbering, descent: sources.oursDescent),
            .init(
                store: sources.theirs.store, changes: other, numbering: sources.theirsNumbering,
                descent: sources.theirsDescent))
        if keys.ours.isEmpty, keys.theirs.isEmpty { return nil }
        sources.note(keys)
        func side(_ origin: MergeName.Origin, _ store: any StoreBackend, _ numbering: StateNumbering) throws
            -> MergeSide
        {
            try MergeSideReader(schema: schema, origin: origin, numbering: numbering).read(store, since: base)
        }
        return (
            try side(.ours, ours, sources.oursNumbering),
            try side(.theirs, sources.theirs.store, sources.theirsNumbering)
        )
    }

    /// Decides what becomes of ours. Nothing is written but copies of large values, once each and
    /// only for a merge that is not refused.
    package func plan(
        _ decisions: DocumentMerge.Decisions, without withheld: Withheld, refusesConflicts: Bool
    ) throws -> PlannedMerge {
        var names = self.names
        var engine = MergeEngine(
            schema, ours: mine, theirs: without(withheld), matching: matching,
            unchangedValue: { [names, store] name, property in
                try names.attribute(property, of: name, in: store)
            })
        engine.undecided = undecidedObjects
        let new = engine.newInTheirs
        // Objects of the base whose keys ours has given to others get new ones, should they stay.
        let displaced = mine.removedNames.filter { names.isDisplaced($0) }
        try names.assign(displaced.isEmpty ? new : (new + displaced).sorted())
        if !withheld.changes.isEmpty {
            engine.exclude(new.filter { withheld.changes.contains(names.label($0)) })
        }
        if !withheld.deletions.isEmpty {
            engine.contest(
                Set(
                    other.lazy.filter {
                        $0.value.change == .removed && withheld.deletions.contains(names.label($0.name))
                    }
                    .map(\.name)))
        }
        engine.choose = { [names] name, property in
            decisions.choice(DocumentMerge.Conflict.name(names.label(name), property))
        }
        var plan = PlannedMerge(outcome: try engine.run(), names: names)
        plan.baseNames = baseNames
        plan.isOtherDocument = isOtherDocument
        plan.includesUnsavedWork = includesUnsavedWork
        if schema.mayHaveLargeValues, isBaseTemporary { try plan.outcome.copyLargeBaseValues(values) }
        let isRefused = refusesConflicts && plan.outcome.conflicts.contains { $0.choice == nil }
        if schema.mayHaveLargeValues, !isRefused {
            try plan.outcome.copyLargeValues(values)
        }
        let isWhole = plan.outcome.omitted.isEmpty && withheld.undecided.isEmpty
        plan.notes = noting.notes(names, plan.outcome, isWhole: isWhole)
        plan.carried = carrying.conflicts(names, plan.outcome, mine, other)
        return plan
    }

    /// Theirs without what it did to some objects of ours.
    private func without(_ withheld: Withheld) -> MergeSide {
        var theirs = other
        if !withheld.changes.isEmpty {
            theirs = theirs.part { name, change in
                name.origin == .theirs || change.change == .removed || !withheld.changes.contains(names.label(name))
            }
        }
        if !withheld.links.isEmpty {
            theirs.update { [names] _, change in
                guard change.change != .removed else { return }
                change = change.keepingLinks { withheld.links.contains(names.label($0)) }
            }
        }
        return theirs
    }

    /// The deletions of a plan that have to do with some objects: those with links to or from them.
    package func deletions(of plan: PlannedMerge, concerning objects: Set<String>) -> Set<String> {
        func concerns(_ change: MergeChange?) -> Bool {
            change?.linkedNames.contains { objects.contains(plan.names.label($0)) } == true
        }
        var led: Set<MergeName> = []
        for side in [mine, other] {
            for (name, change) in side where objects.contains(plan.names.label(name)) {
                led.formUnion(change.linkedNames)
            }
        }
        let found = plan.outcome.deletions.filter {
            objects.contains(plan.names.label($0)) || led.contains($0) || concerns(other[$0])
        }
        return Set(found.map(plan.names.label))
    }
}
