internal import Merging
internal import Schema
internal import DocumentFiles
internal import ObjectGraph
internal import Storage

extension DocumentSession {
    /// The steps that apply the edits made here since the last save to the current state on disk.
    func mergePlan(_ mine: String, _ policy: MergePolicyType, values: String) throws -> PlannedMerge {
        try DocumentError.stage(.reading, path) {
            // The -wal and -shm files at this path belong to the replaced store, which is still
            // open. SQLite would apply them to the new file by their names.
            if marker == nil, sqliteStore != nil {
                throw DocumentError(
                    .unsupported, "a SQLite store by itself can't be read as long as the one that it replaced is open",
                    path: path, hint: "keep the edits as a copy")
            }
            let theirs = try Self.read(path, model: .model(model))
            defer { try? theirs.close() }
            guard theirs.uuid == uuid else {
                throw DocumentError(
                    .unsupported, "what stands at its place is another document", path: path,
                    hint: "keep the edits as a copy")
            }
            guard theirs.model.versionHashesByEntityName == model.versionHashesByEntityName else {
                throw DocumentError(
                    .unsupported, "what stands at its place is of another version of the model", path: path,
                    hint: "keep the edits as a copy")
            }
            let own = try Self.read(mine, model: .model(model))
            defer { try? own.close() }
            let folder = try StateFolder.makeTemporary()
            defer { StateFolder.removeTemporary(folder) }
            let saved = try savedStore(in: folder)
            defer { if saved !== store { try? saved.close() } }
            return try PlannedMerge(
                saved: saved, edited: own.store, present: theirs.store, policy, folder: values)
        }
    }
}
