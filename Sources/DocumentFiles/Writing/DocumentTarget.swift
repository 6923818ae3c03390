internal import FileSystem

/// The place where a whole document is to stand. What is there gives way in one step at the end, or
/// stays as it is.
package struct DocumentTarget {
    /// Links resolved.
    package let path: String
    package let replaces: Bool

    package init(path: String, replaces: Bool) {
        self.path = path
        self.replaces = replaces
    }

    /// Builds a package or archive aside, durable, and puts it in its place, under the document's
    /// lock. When it throws, nothing is left and what was there is still there.
    package func place(_ build: (_ temporary: String) throws -> Void) throws {
        try checkFolder()
        let lock = try DocumentLock.acquire(path, document: nil)
        defer { lock.release() }
        let existing: FileIdentity? = try DocumentError.stage(.writing, path) {
            try Leftovers.mend(path)
            return try checkExisting(isBareStore: false)
        }
        let replacement = Replacement(of: path)
        // After the exchange the old document, where there was one, stands here.
        defer { try? Disk.removeTree(replacement.temporary) }
        try DocumentError.stage(.writing, path) { try build(replacement.temporary) }
        try DocumentError.stage(.replacing, path) { try replacement.commit(expecting: existing) }
    }

    // MARK: Looking

    /// Throws what `place` would throw before it builds anything, but for the lock.
    package func check() throws {
        try checkFolder()
        _ = try DocumentError.stage(.writing, path) { try checkExisting(isBareStore: false) }
    }

    func checkFolder() throws {
        let folder = FilePath.parent(path)
        switch try DocumentError.stage(.writing, path, { try Disk.kind(of: folder) }) {
        case .directory: return
        case nil: throw DocumentError(.cannotCreate, "there is no folder \(folder)", path: path, stage: .writing)
        default: throw DocumentError(.cannotCreate, "\(folder) is no folder", path: path, stage: .writing)
        }
    }

    /// What stands there and may be replaced; nil where nothing does.
    func checkExisting(isBareStore: Bool) throws -> FileIdentity? {
        guard let status = try Disk.status(of: path) else {
            if isBareStore, try Disk.exists(path + "-wal") || Disk.exists(path + "-journal") {
                throw DocumentError(
                    .cannotCreate, "the journal of another store lies beside it", path: path, stage: .writing)
            }
            return nil
        }
        guard replaces else {
            throw DocumentError(.cannotCreate, "something is there already", path: path, stage: .writing)
        }
        // Whatever a folder holds, it is not thrown away because somebody mistyped a name.
        if status.kind == .directory, (try? DetectedDocument(path)) == nil, try !Disk.list(path).isEmpty {
            throw DocumentError(
                .cannotCreate, "a folder that is no document is not replaced", path: path, stage: .writing)
        }
        guard status.kind == .file || status.kind == .directory else {
            throw DocumentError(.cannotCreate, "neither a file nor a folder", path: path, stage: .writing)
        }
        return status.identity
    }
}
