package import DocumentFiles

/// A merge that is decided and not made yet.
package struct PlannedMerge: Sendable {
    package var outcome: MergeOutcome
    package var names: MergedNames
    var baseNames: [String] = []
    var isOtherDocument = false
    var includesUnsavedWork = false
    /// What the document notes of the merge.
    package var notes: [MergeNote] = []
    /// The conflicts that theirs has left, as ours calls the objects.
    var carried: [KeptConflict] = []

    package init(outcome: MergeOutcome, names: MergedNames) {
        self.outcome = outcome
        self.names = names
    }
}
