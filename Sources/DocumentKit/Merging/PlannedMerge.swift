internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import Schema
internal import Storage

/// A merge that is decided and not made yet.
struct PlannedMerge: Sendable {
    var outcome: MergeOutcome
    var names: MergedNames
    let baseName: String?
    let isOtherDocument: Bool
    /// What the document notes of the merge: the state that it was in, and those of theirs. Nothing
    /// where it knows them already, and for a store that is none of a document.
    let notes: [MergeNote]

    /// How a merge is planned.
    struct Request: Sendable {
        var theirs: MergePlace
        var base: DocumentMerge.Base
        var decisions: DocumentMerge.Decisions
        /// The model of stores that carry none.
        var model: ModelChoice
        /// Objects of which nothing is taken from theirs.
        var withheld: Set<String> = []
        /// Where large values of theirs are kept until they are saved.
        var folder: String
    }

    init(outcome: MergeOutcome, names: MergedNames) {
        self.outcome = outcome
        self.names = names
        baseName = nil
        isOtherDocument = false
        notes = []
    }

    /// Reads the three states and decides what becomes of ours. Nothing is written but copies of
    /// large values.
    init(_ ours: DocumentSession, _ request: Request) throws {
        let sources = try MergeSources(ours, request.theirs, request.base, request.model)
        defer { sources.close() }
        let theirs = sources.theirs
        baseName = sources.baseName
        isOtherDocument = theirs.uuid != ours.uuid
        var names = MergedNames(ours.store, sources.oursNumbering)
        let mine: MergeSide, other: MergeSide
        if sources.isBaseTheirs {
            (mine, other) = ([:], [:])
        } else {
            other = try MergeSideReader(origin: .theirs, numbering: sources.theirsNumbering).read(
                theirs.store, since: sources.base)
            mine =
                sources.isBaseOurs || other.isEmpty
                ? [:]
                : try MergeSideReader(origin: .ours, numbering: sources.oursNumbering).read(
                    ours.store, since: sources.base)
        }
        let reader = RowReader(ours.store)
        var engine = MergeEngine(
            ours.model, ours: mine, theirs: Self.without(request.withheld, names, other),
            unchangedValue: { [names] name, property in
                try reader.attribute(property, of: name.entity, names.number(of: name))
            })
        try names.assign(engine.newInTheirs, reader, isHeld: ours.marker != nil && ours.isEditing)
        engine.exclude(engine.newInTheirs.filter { request.withheld.contains(names.label($0)) })
        engine.choose = { [names] name, property in
            request.decisions.choice(DocumentMerge.Conflict.name(names.label(name), property))
        }
        outcome = try engine.run()
        try outcome.copyLargeValues(to: request.folder)
        self.names = names
        notes = try Self.notes(sources, ours, names, outcome)
    }

    private static let greatestMovedCount = 4_000

    /// Theirs without what it did to some objects of ours.
    private static func without(_ withheld: Set<String>, _ names: MergedNames, _ side: MergeSide) -> MergeSide {
        guard !withheld.isEmpty else { return side }
        return side.filter { name, _ in name.origin == .theirs || !withheld.contains(names.label(name)) }
    }

    private static func notes(
        _ sources: MergeSources, _ ours: DocumentSession, _ names: MergedNames, _ outcome: MergeOutcome
    ) throws -> [MergeNote] {
        // The store of a package has its marker also where it is opened by itself.
        guard !sources.sumsToNote.isEmpty, let marker = try ours.marker ?? DocumentMarker(ours.store.metadata()) else {
            return []
        }
        var moved: [StateNumbering.Moved] = []
        func note(_ name: MergeName, theirs: Int64) {
            let root = names.root(of: name.entity), here = names.number(of: name)
            if here != theirs { moved.append(.init(root: root, base: theirs, here: here)) }
        }
        for name in outcome.insertions.keys where name.origin == .theirs {
            note(name, theirs: abs(name.number))
        }
        for (name, twin) in outcome.united { note(twin, theirs: abs(name.number)) }
        for object in Set(sources.oursNumbering.moved + sources.theirsNumbering.moved).map({ ($0.root, $0.base) }) {
            let theirs = sources.theirsNumbering.actual(object.1, root: object.0)
            let here = sources.oursNumbering.actual(object.1, root: object.0)
            if here != theirs { moved.append(.init(root: object.0, base: theirs, here: here)) }
        }
        // Every commit writes the metadata: a merge that gives a great many objects other keys is
        // not noted, and the base of the next one has to be named.
        guard moved.count <= Self.greatestMovedCount else { return [] }
        let ordered = Set(moved).sorted { ($0.root, $0.base, $0.here) < ($1.root, $1.base, $1.here) }
        let own = sources.ownSum.map {
            MergeNote(generation: marker.generation, uuid: ours.uuid, sums: [$0], moved: [])
        }
        return [own].compactMap { $0 } + [
            MergeNote(
                generation: marker.generation, uuid: sources.theirs.uuid, sums: sources.sumsToNote, moved: ordered)
        ]
    }
}

extension MergeOutcome {
    /// Large values of theirs are read from files that may be gone before the merge is saved.
    mutating func copyLargeValues(to folder: String) throws {
        var count = 0
        func copied(_ value: MergeValue) throws -> MergeValue {
            guard case .plain(.large(let large)) = value, large.bytesAtHand == nil else { return value }
            // A value whose file is missing is told as one that is missing when it is saved.
            guard (try? large.count) != nil else { return value }
            count += 1
            let path = FilePath.join(folder, "value-\(count)-\(UniqueName.make())")
            try large.copy(to: URL(fileURLWithPath: path))
            return .plain(.large(try LargeValue(contentsOf: URL(fileURLWithPath: path))))
        }
        for (name, values) in insertions { insertions[name] = try values.mapValues(copied) }
        for index in values.indices { values[index].value = try copied(values[index].value) }
    }
}
