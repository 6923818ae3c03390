package import FileSystem

/// Recognizes the files of an open document, and detects when other files replace them.
///
/// Files are identified by device and inode and, where only this program may write, by size and
/// time. File system events are not used for this, because they may be late, be lost, or result
/// from this program's own writes.
package struct DocumentTrace: Sendable {
    /// The change to the document since the last check.
    package enum Finding: Sendable, Hashable {
        case same
        /// The document is at another path, and nothing is at its old one.
        case moved(to: String)
        /// Another file is at its path, or parts of it were replaced.
        case replaced
        case deleted
    }

    private struct Marks: Sendable, Hashable {
        var item: FileIdentity
        /// For a package, the store's main file and the manifest.
        var store: FileIdentity?
        var manifest: FileIdentity?
        /// For a bare store or a package that is read, the store's WAL if that has a content.
        var wal: FileIdentity?
    }

    package let path: String
    private let kind: DocumentKind
    private let anchor: PathAnchor
    /// Whether a commit to a bare store, or an autosave of a package, is a replacement. An editor's
    /// context finds the commits of others when it saves; a reader is told of them here, or it
    /// would show objects of two states.
    private let followsCommits: Bool
    private var marks: Marks

    /// Records the identities of the document at `path`.
    /// - Parameter known: An existing anchor for the document.
    init(_ path: String, _ kind: DocumentKind, _ known: PathAnchor? = nil, isEditing: Bool) throws {
        self.path = path
        self.kind = kind
        followsCommits = !isEditing && (kind == .store || kind == .package)
        anchor = try known ?? PathAnchor(path)
        marks = Marks(item: try anchor.status().identity)
        if kind == .package { (marks.store, marks.manifest) = try parts() }
        if followsCommits { marks.wal = try Self.wal(path, kind) }
    }

    /// The identities of the parts of a package that is at its path.
    private func parts() throws -> (store: FileIdentity?, manifest: FileIdentity?) {
        (try anchor.identity(of: PackageLayout.store), try anchor.identity(of: PackageLayout.manifest))
    }

    private static func walPath(_ path: String, _ kind: DocumentKind) -> String {
        (kind == .package ? FilePath.join(path, PackageLayout.store) : path) + "-wal"
    }

    private static func wal(_ path: String, _ kind: DocumentKind) throws -> FileIdentity? {
        guard let wal = try Disk.identity(of: walPath(path, kind)), wal.size > 0 else { return nil }
        return wal
    }

    private func hasSameWAL() throws -> Bool { try !followsCommits || Self.wal(path, kind) == marks.wal }

    package func look() throws -> Finding {
        guard let current = try Disk.identity(of: path) else {
            guard let place = try anchor.currentPath(), !Self.isGivenUp(place) else { return .deleted }
            return .moved(to: place)
        }
        switch kind {
        case .package:
            guard current.isSameFile(as: marks.item) else { return .replaced }
            let now = try parts()
            return try now.store == marks.store && now.manifest == marks.manifest && hasSameWAL() ? .same : .replaced
        // The time of a folder changes with its content. A bare store is also written by other
        // programs, whose commits SQLite handles.
        case .store where followsCommits:
            return try current == marks.item && hasSameWAL() ? .same : .replaced
        case .store, .managedDocument: return current.isSameFile(as: marks.item) ? .same : .replaced
        case .archive: return current == marks.item ? .same : .replaced
        }
    }

    /// The paths to watch for changes of the document.
    package var places: [FileWatcher.Place] {
        let wal = Self.walPath(path, kind)
        let names = followsCommits && kind == .store ? [path, wal] : [path]
        var places: [FileWatcher.Place] = [.init(FilePath.parent(path), names: Set(names.map { FilePath.name($0) }))]
        if kind == .package {
            places.append(.init(path, names: [PackageLayout.manifest, PackageLayout.storeFolder]))
            places.append(
                .init(
                    FilePath.join(path, PackageLayout.storeFolder),
                    names: Set([PackageLayout.store, wal].prefix(followsCommits ? 2 : 1).map { FilePath.name($0) })))
        }
        return places
    }

    /// Whether a document that was moved to a path was discarded: moved to a trash folder of the
    /// freedesktop.org specification, or hidden.
    private static func isGivenUp(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        if parts.last?.hasPrefix(".") == true { return true }
        return zip(parts, parts.dropFirst()).contains { folder, next in
            next == "files" && (folder == "Trash" || folder.hasPrefix(".Trash-"))
        }
            || zip(zip(parts, parts.dropFirst()), parts.dropFirst(2)).contains { $0.0 == ".Trash" && $1 == "files" }
    }
}
