internal import DocumentFiles

/// A merge that is decided and not made yet.
struct PlannedMerge: Sendable {
    var outcome: MergeOutcome
    var names: MergedNames
    var baseNames: [String] = []
    var isOtherDocument = false
    var includesUnsavedWork = false
    /// What the document notes of the merge.
    var notes: [MergeNote] = []
    /// The conflicts that theirs has left, as ours calls the objects.
    var carried: [KeptConflict] = []

    init(outcome: MergeOutcome, names: MergedNames) {
        self.outcome = outcome
        self.names = names
    }
}
