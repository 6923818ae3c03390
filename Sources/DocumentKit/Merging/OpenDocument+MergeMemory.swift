internal import Merging
internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import ObjectGraph
internal import Storage

extension OpenDocument {
    /// What the document notes of merges, with what is not saved yet.
    func readMergeMemory() async throws -> MergeMemory {
        if let mergeMemory { return mergeMemory }
        return try await performInBackground { session in
            let notes = MergeNote.notes(in: try session.store.metadata())
            let list = try session.conflictList()
            // A bare store has no room for a list of conflicts, unless git has merged it.
            if session.marker == nil, list == nil { return MergeMemory(notes: notes) }
            do {
                return MergeMemory(notes: notes, conflicts: try KeptConflicts.decoded(list))
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
        if mergeMemory == nil { savedConflicts = Set(before.conflicts) }
        mergeMemory = memory
        isMergeMemoryUnsaved = true
        context.undoManager?.registerUndo(withTarget: self) { $0.setMergeMemory(before, from: memory) }
    }

    /// What a save writes of it. The metadata have the list too, since files are put into place
    /// after the commit.
    func mergeParts() throws -> CapturedParts {
        guard isMergeMemoryUnsaved, let mergeMemory else { return CapturedParts() }
        let notes = [MergeNote.metadataKey: MergeNote.value(mergeMemory.notes)]
        guard state.marker != nil else { return CapturedParts(metadata: notes) }
        let list = try KeptConflicts.encoded(mergeMemory.conflicts)
        var parts = CapturedParts(
            extra: [ExtraFile(PackageLayout.conflicts) { list }],
            metadata: notes)
        if list != nil || !savedConflicts.isEmpty {
            parts.metadata[DocumentSession.conflictListKey] = .data(list ?? Data())
        }
        return parts
    }

    /// What an autosave writes of it: the metadata, since files are written by saves alone.
    func autosavedMergeParts() throws -> CapturedParts { CapturedParts(metadata: try mergeParts().metadata) }

    /// - Parameter memory: What was written; something else may have been noted since.
    func didSaveMergeMemory(_ memory: MergeMemory?) {
        guard let memory else { return }
        savedConflicts = Set(memory.conflicts)
        if mergeMemory == memory { isMergeMemoryUnsaved = false }
    }

    func forgetMerges() {
        mergeMemory = nil
        savedConflicts = []
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
