internal import DocumentFiles
package import Schema

/// Decides a merge: what both sides did since the base becomes what is to be done to ours.
///
/// It works on values alone, and reads nothing. Names of new objects of theirs that are objects of
/// ours, too, are replaced by those first; then it is decided which objects there are, then what
/// their attributes are, then what they lead to.
package struct MergeEngine {
    let schema: MergeSchema
    /// What decides a conflict, by the object and the property.
    package var choose: (MergeName, String?) -> DocumentMerge.Choice?
    /// An attribute of an object that neither side changed, by its number.
    let unchangedValue: (MergeName, Int) throws -> PropertyValue
    var ours: MergeSide
    var theirs: MergeSide
    /// Objects that one side has deleted, by that side.
    var removedByOurs: Set<MergeName> = []
    var removedByTheirs: Set<MergeName> = []
    /// Objects that the merged document does not have.
    var gone: Set<MergeName> = []
    /// Objects that one side has deleted and that stay, since the other has changed them.
    var kept: Set<MergeName> = []
    /// Objects whose deletion by theirs violates a rule of the model.
    private(set) var undeletable: Set<MergeName> = []
    /// Objects of the base that nobody has decided to keep or to delete, as far as the base knows:
    /// that one side has deleted one is a conflict even if the other has not changed it.
    var undecided: Set<MergeName> = []
    /// Objects that ours lacks and is to get, with all their values.
    var inserted = ObjectTable<ObjectValues>()
    /// Values of the objects of ours that are to be others.
    var edited: [MergeName: ObjectValues] = [:]
    package internal(set) var outcome = MergeOutcome()

    /// - Parameters:
    ///   - schema: Of the model of all three states.
    ///   - ours: What one side did to the base.
    ///   - theirs: What the other side did to it.
    ///   - matching: How new objects of both sides are found to be one.
    package init(
        _ schema: MergeSchema, ours: MergeSide, theirs: MergeSide, matching: NewObjectMatching.Manner = .exact,
        choose: @escaping (MergeName, String?) -> DocumentMerge.Choice? = { _, _ in nil },
        unchangedValue: @escaping (MergeName, Int) throws -> PropertyValue = { _, _ in .null }
    ) {
        self.schema = schema
        self.ours = ours
        self.theirs = theirs
        self.choose = choose
        self.unchangedValue = unchangedValue
        uniteNewObjects(matching)
    }

    /// Leaves out new objects of theirs.
    package mutating func exclude(_ names: [MergeName]) { gone.formUnion(names) }

    /// Makes the deletion of objects by theirs a conflict, since it violates a rule of the model.
    package mutating func contest(_ deletions: Set<MergeName>) { undeletable = deletions }

    /// The objects that theirs alone has made.
    package var newInTheirs: [MergeName] { theirs.names.filter { $0.origin == .theirs } }

    /// - Throws: What reading unchanged values throws.
    package mutating func run() throws -> MergeOutcome {
        findRemovals()
        mergeAttributes()
        try settleUniqueness()
        mergeLinks()
        mergeOneToOnes()
        collect()
        return outcome
    }

    mutating func report(_ conflict: MergeConflictRecord) { outcome.conflicts.append(conflict) }

    private mutating func uniteNewObjects(_ manner: NewObjectMatching.Manner) {
        outcome.united = NewObjectMatching(schema, ours, theirs, manner).pairs
        guard !outcome.united.isEmpty else { return }
        let united = outcome.united
        theirs = MergeSide(theirs.map { (united[$0.name] ?? $0.name, $0.value.renamed(united)) })
    }

    // MARK: Facts

    /// Whether ours has the object now.
    func isInOurs(_ name: MergeName) -> Bool {
        switch name.origin {
        case .base: !removedByOurs.contains(name)
        case .ours: true
        case .theirs: false
        }
    }

    /// Objects that are to be inserted into ours.
    func isInserted(_ name: MergeName) -> Bool { !isInOurs(name) && !gone.contains(name) }

    /// Some of the objects that sides changed, in order.
    func names(_ sides: [MergeSide], where isIncluded: (MergeName) -> Bool) -> [MergeName] {
        let names = sides.flatMap { $0.names.filter(isIncluded) }
        guard sides.count > 1 else { return names }
        return Set(names).sorted()
    }

    /// The sides whose objects may become others: ours too where objects are kept, since what it
    /// lost with them comes back.
    var sidesWithKept: [MergeSide] { kept.isEmpty ? [theirs] : [ours, theirs] }

    mutating func set(_ value: MergeValue, _ property: Int, of name: MergeName) {
        if let place = inserted.place(of: name) {
            inserted.update(at: place) { $0[property] = value }
        } else {
            edited[name, default: ObjectValues()][property] = value
        }
    }

    // MARK: Result

    private mutating func collect() {
        outcome.insertions = gone.isEmpty ? inserted : inserted.part { name, _ in !gone.contains(name) }
        for name in edited.keys.filter({ !gone.contains($0) }).sorted() {
            for (property, value) in edited[name] ?? ObjectValues() {
                if case .members = value { continue }
                outcome.values.append(.init(object: name, property: property, value: value))
            }
        }
        outcome.deletions = gone.filter { isInOurs($0) }.sorted()
    }

    mutating func edit(_ members: MergeOutcome.MemberEdit) { outcome.members.append(members) }
}
