internal import DocumentFiles
internal import Schema
internal import Storage

/// What a document notes of a merge: the state that it was in, and those of theirs that it knows
/// from then on.
struct MergeNoting: Sendable {
    /// Nil for a store that is none of a document, which notes nothing.
    private let marker: DocumentMarker?
    private let uuid: String
    private let otherUUID: String
    private let ownSum: String?
    /// Empty where theirs is known already.
    private let sums: [String]
    private let ours: StateNumbering
    private let theirs: StateNumbering

    init(_ target: MergeTarget, _ sources: MergeSources) {
        marker = target.marker
        uuid = target.store.identity.uuid
        otherUUID = sources.theirs.uuid
        ownSum = sources.ownSum
        sums = sources.sumsToNote
        ours = sources.oursNumbering
        theirs = sources.theirsNumbering
    }

    /// - Parameter isWhole: Whether all of theirs is in the result or was decided against. Else
    ///   theirs is not known, so that a later merge finds the rest.
    func notes(_ names: MergedNames, _ outcome: MergeOutcome, isWhole: Bool) -> [MergeNote] {
        guard !sums.isEmpty, let marker else { return [] }
        let own = ownSum.map { MergeNote(generation: marker.generation, uuid: uuid, sums: [$0], moved: []) }
        guard isWhole else { return own.map { [$0] } ?? [] }
        var moved: Set<StateNumbering.Moved> = []
        /// - Parameter other: What theirs calls the object.
        func note(_ name: MergeName, _ other: MergeName) {
            let root = names.root(of: name), base = theirs.actual(other.number, root: root)
            let here = names.number(of: name)
            if here != base { moved.insert(.init(root: root, base: base, here: here)) }
        }
        for (name, twin) in outcome.united { note(twin, name) }
        for name in outcome.insertions.names where name.origin == .theirs {
            note(name, name)
            if moved.count > MergeNote.maximumMovedCount { break }
        }
        for object in ours.moved + theirs.moved {
            let other = theirs.actual(object.base, root: object.root),
                here = ours.actual(object.base, root: object.root)
            if here != other { moved.insert(.init(root: object.root, base: other, here: here)) }
        }
        let ordered = moved.sorted { ($0.root, $0.base, $0.here) < ($1.root, $1.base, $1.here) }
        let other = MergeNote(generation: marker.generation, uuid: otherUUID, sums: sums, moved: ordered)
        return (own.map { [$0] } ?? []) + [other]
    }
}
