internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import ObjectGraph
internal import Storage

/// What a document notes of merges beside its objects.
struct MergeMemory: Sendable, Hashable {
    /// The states of other documents that are part of this one.
    var notes: [MergeNote] = []
    /// What is to be decided still.
    var conflicts: [KeptConflict] = []
}

extension OpenDocument {
    /// What the document notes of merges, with what is not saved yet.
    func readMergeMemory() async throws -> MergeMemory {
        if let mergeMemory { return mergeMemory }
        return try await performInBackground { session in
            guard session.marker != nil else { return MergeMemory() }
            let part = try session.part(PackageLayout.conflicts, in: PackageLayout.extra)
            do {
                return MergeMemory(
                    notes: MergeNote.notes(in: try session.store.metadata()),
                    conflicts: try KeptConflicts.decoded(part))
            } catch let error as DecodingError {
                throw DocumentError(
                    .malformed, "the list of conflicts can't be read: \(error)",
                    path: FilePath.join(session.path, "\(PackageLayout.extra)/\(PackageLayout.conflicts)"),
                    stage: .reading,
                    underlying: error)
            }
        }
    }

    /// Notes something, as part of the open group of undo.
    func setMergeMemory(_ memory: MergeMemory, from before: MergeMemory) {
        guard state.marker != nil else { return }
        mergeMemory = memory
        isMergeMemoryUnsaved = true
        context.undoManager?.registerUndo(withTarget: self) { $0.setMergeMemory(before, from: memory) }
    }

    /// What a save writes of it.
    func mergeParts() throws -> CapturedParts {
        guard isMergeMemoryUnsaved, let mergeMemory, state.marker != nil else { return CapturedParts() }
        let list = try KeptConflicts.encoded(mergeMemory.conflicts)
        return CapturedParts(
            extra: [ExtraFile(PackageLayout.conflicts) { list }],
            metadata: [MergeNote.metadataKey: MergeNote.value(mergeMemory.notes)])
    }

    /// - Parameter memory: What was written; something else may have been noted since.
    func didSaveMergeMemory(_ memory: MergeMemory?) {
        if mergeMemory == memory { isMergeMemoryUnsaved = false }
    }

    func forgetMerges() {
        mergeMemory = nil
        isMergeMemoryUnsaved = false
    }

    /// Where large values of other documents are until they are saved; gone when the document is
    /// closed.
    func mergeScratch() throws -> String {
        if let mergeFolder { return mergeFolder }
        let folder = try StateFolder.makeTemporary()
        mergeFolder = folder
        return folder
    }
}
