package import FileSystem

/// Knows an open document's files again, and tells them from whatever else comes to their place.
///
/// It goes by identity (device and inode) and, where only this program may write, by size and time:
/// events of the file system may be late, lost or somebody's own.
package struct DocumentTrace: Sendable {
    /// What became of the document since it was looked at last.
    package enum Finding: Sendable, Hashable {
        case same
        /// It is at another place, and nothing is at its old one.
        case moved(to: String)
        /// Something else is at its place, or parts of it were exchanged.
        case replaced
        case deleted
    }

    private struct Marks: Sendable, Hashable {
        var item: FileIdentity
        /// Of a package: its store's main file, and the manifest.
        var store: FileIdentity?
        var manifest: FileIdentity?
    }

    package let path: String
    private let kind: DocumentKind
    private let anchor: PathAnchor
    private var marks: Marks

    /// Takes the marks of the document at `path`.
    /// - Parameter known: What holds on to it already.
    init(_ path: String, _ kind: DocumentKind, _ known: PathAnchor? = nil) throws {
        self.path = path
        self.kind = kind
        anchor = try known ?? PathAnchor(path)
        marks = Marks(item: try anchor.status().identity)
        if kind == .package { (marks.store, marks.manifest) = try parts() }
    }

    /// Of a package, which is known to be at its path.
    private func parts() throws -> (store: FileIdentity?, manifest: FileIdentity?) {
        (try anchor.identity(of: PackageLayout.store), try anchor.identity(of: PackageLayout.manifest))
    }

    package func look() throws -> Finding {
        guard let current = try Disk.identity(of: path) else {
            guard let place = try anchor.currentPath(), !Self.isGivenUp(place) else { return .deleted }
            return .moved(to: place)
        }
        switch kind {
        case .package:
            guard current.isSameFile(as: marks.item) else { return .replaced }
            let now = try parts()
            return now.store == marks.store && now.manifest == marks.manifest ? .same : .replaced
        // The time of a folder changes with what is in it; a store by itself is written by others
        // too, whose commits the store's own rules tell apart.
        case .store, .managedDocument: return current.isSameFile(as: marks.item) ? .same : .replaced
        case .archive: return current == marks.item ? .same : .replaced
        }
    }

    /// The places where something happens when the document changes.
    package var places: [FileWatcher.Place] {
        var places: [FileWatcher.Place] = [.init(FilePath.parent(path), names: [FilePath.name(path)])]
        if kind == .package {
            places.append(.init(path, names: [PackageLayout.manifest, PackageLayout.storeFolder]))
            places.append(
                .init(FilePath.join(path, PackageLayout.storeFolder), names: [FilePath.name(PackageLayout.store)]))
        }
        return places
    }

    /// Whether what was moved there was thrown away or put aside: in a trash folder of the
    /// freedesktop.org specification, or under a hidden name.
    private static func isGivenUp(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        if parts.last?.hasPrefix(".") == true { return true }
        return zip(parts, parts.dropFirst()).contains { folder, next in
            next == "files" && (folder == "Trash" || folder.hasPrefix(".Trash-"))
        }
            || zip(zip(parts, parts.dropFirst()), parts.dropFirst(2)).contains { $0.0 == ".Trash" && $1 == "files" }
    }
}
