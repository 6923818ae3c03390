internal import DocumentFiles
internal import Schema
internal import Storage

/// What a document notes of a merge: the state that it was in, and those of theirs that it knows
/// from then on.
struct MergeNoting: Sendable {
    /// 0 for a store that is none of a document.
    private let generation: Int
    private let uuid: String
    private let otherUUID: String
    private let ownSum: String?
    /// Empty where theirs is known already.
    private let sums: [String]
    private let ours: StateNumbering
    private let theirs: StateNumbering

    init(_ target: MergeTarget, _ sources: MergeSources) {
        generation = target.marker?.generation ?? 0
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
        guard !sums.isEmpty else { return [] }
        let own = ownSum.map { MergeNote(generation: generation, uuid: uuid, sums: [$0], moved: []) }
        guard isWhole else { return own.map { [$0] } ?? [] }
        var moved: [StateNumbering.Moved] = []
        let new = outcome.insertions.names.filter { $0.origin == .theirs }
        for (name, here) in zip(new, names.numbers(of: new)) {
            let root = names.root(of: name), base = theirs.actual(name.number, root: root)
            if here != base { moved.append(.init(root: root, base: base, here: here)) }
        }
        var others: Set<StateNumbering.Moved> = []
        for (name, twin) in outcome.united {
            let root = names.root(of: twin), base = theirs.actual(name.number, root: root)
            let here = names.number(of: twin)
            if here != base { others.insert(.init(root: root, base: base, here: here)) }
        }
        for object in ours.moved + theirs.moved {
            let other = theirs.actual(object.base, root: object.root),
                here = ours.actual(object.base, root: object.root)
            if here != other { others.insert(.init(root: object.root, base: other, here: here)) }
        }
        // Also of those that are gone: by its key in theirs, none of them is one of ours.
        for name in names.displaced {
            let root = names.root(of: name), base = theirs.actual(name.number, root: root)
            others.insert(.init(root: root, base: base, here: names.number(of: name)))
        }
        if !others.isEmpty { moved = Array(others.union(moved)) }
        let other = MergeNote(generation: generation, uuid: otherUUID, sums: sums, moved: moved)
        return (own.map { [$0] } ?? []) + [other]
    }
}
