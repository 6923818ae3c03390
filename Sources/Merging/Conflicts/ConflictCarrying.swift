internal import DocumentFiles
internal import Schema

/// The conflicts of former merges that nobody has decided in theirs. Where its values come with the
/// merge, ours has to decide them, too.
struct ConflictCarrying: Sendable {
    private let conflicts: [KeptConflict]
    private let numbering: StateNumbering

    /// None for a store that is none of a document, which keeps no list. A list that can't be read
    /// counts as none.
    init(_ target: MergeTarget, _ sources: MergeSources) {
        conflicts = target.marker == nil ? [] : (try? KeptConflicts.decoded(sources.theirs.conflictList())) ?? []
        numbering = sources.theirsNumbering
    }

    /// The conflicts of what theirs has changed and ours has not, as ours calls the objects.
    func conflicts(_ names: MergedNames, _ outcome: MergeOutcome, _ ours: MergeSide, _ theirs: MergeSide)
        -> [KeptConflict]
    {
        /// What the merge calls an object of theirs.
        func name(_ text: String) -> MergeName? {
            guard let own = names.schema.name(text) else { return nil }
            let number = numbering.canonical(own.number, root: names.root(of: own))
            let new = MergeName(own.entity, number, .theirs)
            return theirs[new] == nil ? MergeName(own.entity, number) : new
        }
        func label(_ text: String) -> String? { name(text).map { names.label(outcome.united[$0] ?? $0) } }
        return conflicts.compactMap { conflict in
            guard let name = name(conflict.object), let change = theirs[name], change.change != .removed,
                !outcome.omitted.contains(name)
            else { return nil }
            guard let path = conflict.property else { return ours[name] == nil ? conflict.renamed(label) : nil }
            guard let property = names.schema.number(ofProperty: String(path.prefix { $0 != "." }), in: name.entity),
                change.change == .added || change[property] != nil, ours[name]?[property] == nil,
                ours[name]?.change != .removed
            else { return nil }
            return conflict.renamed(label)
        }
    }
}
