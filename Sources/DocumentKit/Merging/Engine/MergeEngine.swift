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
    /// An attribute of an object that neither side changed.
    let unchangedValue: (MergeName, String) throws -> PropertyValue
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
    /// Values of objects that differ from those of ours, or that are to be inserted.
    var merged: [MergeName: [String: MergeValue]] = [:]
    package internal(set) var outcome = MergeOutcome()

    /// - Parameters:
    ///   - model: The model of all three states.
    ///   - ours: What one side did to the base.
    ///   - theirs: What the other side did to it.
    package init(
        _ model: ManagedObjectModel, ours: MergeSide, theirs: MergeSide,
        choose: @escaping (MergeName, String?) -> DocumentMerge.Choice? = { _, _ in nil },
        unchangedValue: @escaping (MergeName, String) throws -> PropertyValue = { _, _ in .null }
    ) {
        schema = MergeSchema(model)
        self.ours = ours
        self.theirs = theirs
        self.choose = choose
        self.unchangedValue = unchangedValue
        uniteNewObjects()
    }

    /// Leaves out new objects of theirs.
    package mutating func exclude(_ names: [MergeName]) { gone.formUnion(names) }

    /// Makes the deletion of objects by theirs a conflict, since it violates a rule of the model.
    package mutating func contest(_ deletions: Set<MergeName>) { undeletable = deletions }

    /// The objects that theirs alone has made.
    package var newInTheirs: [MergeName] { theirs.keys.filter { $0.origin == .theirs }.inOrder() }

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

    private mutating func uniteNewObjects() {
        outcome.united = NewObjectMatching(schema, ours, theirs).pairs
        guard !outcome.united.isEmpty else { return }
        let united = outcome.united
        theirs = Dictionary(uniqueKeysWithValues: theirs.map { (united[$0.key] ?? $0.key, $0.value.renamed(united)) })
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

    /// Objects of theirs that are to be inserted into ours.
    func isInserted(_ name: MergeName) -> Bool { !isInOurs(name) && !gone.contains(name) }

    mutating func set(_ value: MergeValue, _ property: String, of name: MergeName) {
        merged[name, default: [:]][property] = value
    }

    // MARK: Result

    private mutating func collect() {
        for name in merged.keys.inOrder() where !gone.contains(name) {
            guard let values = merged[name] else { continue }
            if isInserted(name) {
                outcome.insertions[name] = values
                continue
            }
            for (property, value) in values.sorted(by: { $0.key < $1.key }) {
                if case .members = value { continue }
                outcome.values.append(.init(object: name, property: property, value: value))
            }
        }
        for name in theirs.keys where isInserted(name) && outcome.insertions[name] == nil {
            outcome.insertions[name] = [:]
        }
        outcome.deletions = gone.filter { isInOurs($0) }.inOrder()
    }

    mutating func edit(_ members: MergeOutcome.MemberEdit) { outcome.members.append(members) }
}
