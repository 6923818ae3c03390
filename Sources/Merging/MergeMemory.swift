package import DocumentFiles
internal import FileSystem
internal import Foundation
internal import ObjectGraph
internal import Storage

/// What a document notes of merges beside its objects.
package struct MergeMemory: Sendable, Hashable {
    /// The states of other documents that are part of this one.
    package var notes: [MergeNote] = []
    /// What is to be decided still.
    package var conflicts: [KeptConflict] = []

    package init(notes: [MergeNote] = [], conflicts: [KeptConflict] = []) {
        self.notes = notes
        self.conflicts = conflicts
    }

    /// With what a merge notes, leaves undecided and carries over from theirs.
    /// - Parameter hasFiles: Whether the files of large values must exist; not so in a merge for
    ///   git.
    /// - Throws: What reading large values of the conflicts throws.
    package func adding(_ plan: PlannedMerge, _ undecided: [DocumentMerge.Conflict], hasFiles: Bool) throws
        -> MergeMemory
    {
        let undecided = try undecided.map { try KeptConflict($0, hasFiles: hasFiles) },
            names = Set(undecided.map(\.name))
        let known = conflicts.filter { !names.contains($0.name) } + undecided, knownNames = Set(known.map(\.name))
        return MergeMemory(
            notes: notes + plan.notes, conflicts: known + plan.carried.filter { !knownNames.contains($0.name) })
    }
}
