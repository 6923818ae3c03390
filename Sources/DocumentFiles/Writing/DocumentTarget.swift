internal import FileSystem

/// The location for a whole document. An existing item is replaced atomically at the end, or
/// unchanged after an error.
package struct DocumentTarget {
    /// The path, with symbolic links resolved.
    package let path: String
    package let replaces: Bool

    package init(path: String, replaces: Bool) {
        self.path = path
        self.replaces = replaces
    }

    /// Builds a package or archive at a temporary path, makes it durable, and moves it to its
    /// location, with the document's lock. After an error nothing is left, and an existing item is
    /// unchanged.
    package func place(_ build: (_ temporary: String) throws -> Void) throws {
        try checkFolder()
        let lock = try DocumentLock.acquire(path, document: nil)
        defer { lock.release() }
        let existing: FileIdentity? = try DocumentError.stage(.writing, path) {
            try Leftovers.mend(path)
            return try checkExisting(isBareStore: false)
        }
        let replacement = Replacement(of: path)
        // After the exchange, the replaced document is at this path.
        defer { try? Disk.removeTree(replacement.temporary) }
        try DocumentError.stage(.writing, path) { try build(replacement.temporary) }
        try DocumentError.stage(.replacing, path) { try replacement.commit(expecting: existing) }
    }

    // MARK: Lookup

    /// Throws the errors that `place` would throw before building, except for those of the lock.
    package func check() throws {
        try checkFolder()
        _ = try DocumentError.stage(.writing, path) { try checkExisting(isBareStore: false) }
    }

    /// Throws the errors that `place` would throw before building, and creates no file.
    package func checkPlacing() throws {
        try check()
        try DocumentLock.check(path)
    }

    func checkFolder() throws {
        let folder = FilePath.parent(path)
        if let suffix = ["-wal", "-shm", "-journal"].first(where: { path.hasSuffix($0) }) {
            throw DocumentError(
                .cannotCreate, "a name that ends with “\(suffix)” is that of another store's own file", path: path,
                stage: .writing, hint: "take another name")
        }
        switch try DocumentError.stage(.writing, path, { try Disk.kind(of: folder) }) {
        case .directory: return
        case nil: throw DocumentError(.cannotCreate, "there is no folder \(folder)", path: path, stage: .writing)
        default: throw DocumentError(.cannotCreate, "\(folder) is no folder", path: path, stage: .writing)
        }
    }

    /// The identity of an existing item that may be replaced; nil if there is none.
    func checkExisting(isBareStore: Bool) throws -> FileIdentity? {
        guard let status = try Disk.status(of: path) else {
            if isBareStore, try ["-wal", "-shm", "-journal"].contains(where: { try Disk.exists(path + $0) }) {
                throw DocumentError(
                    .cannotCreate, "the journal of another store lies beside it", path: path, stage: .writing)
            }
            return nil
        }
        guard replaces else {
            throw DocumentError(.cannotCreate, "something is there already", path: path, stage: .writing)
        }
        // A folder that is neither empty nor a document is never replaced, because the path may be
        // mistyped.
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
