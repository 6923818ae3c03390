internal import Glibc

extension Disk {
    /// The maximum nesting of folders, so that a malicious tree can't exhaust descriptors or the
    /// stack.
    private static let maximumDepth = 128

    /// Removes a file, link or folder with its contents. Symbolic links are not followed. Has no
    /// effect if the path does not exist.
    package static func removeTree(_ path: String) throws {
        guard let status = try status(of: path) else { return }
        guard status.kind == .directory else { return try removeFile(path) }
        try removeContents(of: Directory(path), depth: 0)
        try withPath(path) { name in _ = try perform(.unlink, path) { negated(rmdir(name)) } }
    }

    private static func removeContents(of directory: Directory, depth: Int) throws {
        guard depth < maximumDepth else { throw tooDeep(directory.path) }
        for name in try directory.rawNames() {
            let shown = FilePath.join(
                directory.path, String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
            var status = stat()
            try perform(.stat, shown) { negated(fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW)) }
            let isDirectory = FileKind(mode: status.st_mode) == .directory
            if isDirectory {
                let descriptor = try perform(.open, shown) {
                    Int(openDirectoryDescriptor(directory.descriptor, name))
                }
                try removeContents(of: Directory(descriptor: Int32(descriptor), path: shown), depth: depth + 1)
            }
            try perform(.unlink, shown) {
                negated(unlinkat(directory.descriptor, name, isDirectory ? AT_REMOVEDIR : 0))
            }
        }
    }

    /// Trees with more items are synchronized by several threads, because the file system commits
    /// concurrent requests together. One after the other, 1,000 files of 500 KB take 3.3 s on an
    /// idle disk.
    private static let manyItems = 64

    /// Synchronizes a file, or a folder and its contents. Each folder is synchronized after its
    /// contents.
    package static func synchronizeTree(_ path: String) throws {
        switch try kind(of: path) {
        case .file: try synchronizeFile(path)
        case .directory:
            let top = try Directory(path)
            var items: [TreeItem] = []
            // Writing starts for all files at once, so that most of them share a commit of the file
            // system.
            try startSynchronizing(top, "", 0, &items)
            if items.count > manyItems {
                try ConcurrentWork.each(
                    items.filter { !$0.isFolder }, threads: ConcurrentWork.waitingThreads
                ) { try $0.synchronize(in: top) }
                try ConcurrentWork.each(
                    items.filter(\.isFolder), threads: ConcurrentWork.waitingThreads
                ) { try $0.synchronize(in: top) }
            } else {
                for item in items { try item.synchronize(in: top) }
            }
            try top.synchronize()
        default: throw unsuitable("fsync", path)
        }
    }

    /// A file or folder beneath the top of a tree.
    private struct TreeItem: Sendable {
        let path: String
        let isFolder: Bool

        func synchronize(in top: Directory) throws {
            if isFolder { try top.directory(path).synchronize() } else { try top.file(path).synchronize() }
        }
    }

    /// Starts writing every file, and lists all items. Folders come after their contents.
    private static func startSynchronizing(
        _ directory: Directory, _ path: String, _ depth: Int, _ items: inout [TreeItem]
    ) throws {
        guard depth < maximumDepth else { throw tooDeep(directory.path) }
        for entry in try directory.entries() {
            let name = path.isEmpty ? entry.name : FilePath.join(path, entry.name)
            switch entry.kind {
            case .file: try directory.file(entry.name).startSynchronizing()
            case .directory: try startSynchronizing(directory.directory(entry.name), name, depth + 1, &items)
            case .symbolicLink, .other: continue
            }
            items.append(TreeItem(path: name, isFolder: entry.kind == .directory))
        }
    }

    /// Synchronizes one file. Never call it for a store that is open: closing the descriptor would
    /// drop SQLite's locks.
    package static func synchronizeFile(_ path: String) throws { try File(path, .read).synchronize() }

    /// Creates a folder with hard links to the files of another folder. If hard links are not
    /// possible, for example across file systems, the files are copied. Does not synchronize them.
    package static func linkTree(_ source: String, to target: String) throws {
        guard let status = try status(of: source) else {
            throw FileSystemError(operation: "link", path: source, errno: ENOENT)
        }
        guard status.kind == .directory else { throw unsuitable("link", source) }
        try makeDirectory(target, mode: status.mode)
        for entry in try Directory(source).entries() {
            let from = FilePath.join(source, entry.name), to = FilePath.join(target, entry.name)
            switch entry.kind {
            case .directory: try linkTree(from, to: to)
            case .file: try linkFile(from, to: to)
            case .symbolicLink, .other: throw unsuitable("link", from)
            }
        }
    }

    private static func linkFile(_ source: String, to target: String) throws {
        do {
            try withPath(source) { from in
                try withPath(target) { to in _ = try perform(.rename, target) { negated(Glibc.link(from, to)) } }
            }
        } catch let error as FileSystemError where [EXDEV, EPERM, ENOTSUP, ENOSYS, EMLINK].contains(error.errno) {
            try copyFile(source, to: target)
        }
    }

    /// Copies a file, or a folder and its contents, with modes and user attributes, to a path that
    /// must not exist. Does not synchronize the copy.
    ///
    /// Symbolic links, FIFOs, sockets and devices are rejected. `including` is called with each
    /// path relative to the top and returns whether the item is copied.
    package static func copyTree(
        _ source: String, to target: String,
        including: (_ relativePath: String, FileKind) throws -> Bool = { _, _ in true }
    ) throws {
        switch try kind(of: source) {
        case .file: try copyFile(source, to: target)
        case .directory: try copyContents(of: Directory(source), to: target, prefix: "", depth: 0, including: including)
        case nil: throw FileSystemError(operation: "copy", path: source, errno: ENOENT)
        case .symbolicLink, .other: throw unsuitable("copy", source)
        }
    }

    private static func copyContents(
        of source: Directory, to target: String, prefix: String, depth: Int,
        including: (String, FileKind) throws -> Bool
    ) throws {
        guard depth < maximumDepth else { throw tooDeep(source.path) }
        let mode = try source.status().mode
        // The folder must be writable while it is filled; its mode is set at the end.
        try makeDirectory(target, mode: 0o700)
        for entry in try source.entries() {
            let relative = prefix + entry.name
            guard try including(relative, entry.kind) else { continue }
            let copy = FilePath.join(target, entry.name)
            switch entry.kind {
            case .file: try copyFile(source.file(entry.name), to: copy)
            case .directory:
                try copyContents(
                    of: source.directory(entry.name), to: copy, prefix: relative + "/", depth: depth + 1,
                    including: including)
            case .symbolicLink, .other: throw unsuitable("copy", FilePath.join(source.path, entry.name))
            }
        }
        let made = try Directory(target)
        try copyAttributes(from: source.descriptor, to: made.descriptor, target)
        let copied = AccessRights.copyList(from: source.descriptor, to: made.descriptor, mode: mode)
        try perform(.chmod, target) { negated(fchmod(made.descriptor, mode_t(copied))) }
    }

    static func unsuitable(_ operation: String, _ path: String) -> FileSystemError {
        FileSystemError(.unsuitableFile, operation: operation, path: path, detail: "neither a plain file nor a folder")
    }

    private static func tooDeep(_ path: String) -> FileSystemError {
        FileSystemError(
            .invalidPath, operation: "list", path: path, detail: "nested deeper than \(maximumDepth) folders")
    }
}
