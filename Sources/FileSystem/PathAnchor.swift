internal import CSystem
internal import Glibc

/// A reference to a file or folder that is independent of its path. It follows the item when it is
/// moved, and detects when another item takes its place.
///
///     let anchor = try PathAnchor("Name.folio")
///     … the document is renamed …
///     try anchor.currentPath()      // "/home/ada/Other.folio"
///
/// The item is opened with O_PATH only, so an anchor on a store does not affect SQLite's locks.
package final class PathAnchor: Sendable {
    package let path: String
    private let descriptor: Int32
    /// The folder that owns the descriptor; nil if the anchor owns it.
    private let folder: Directory?

    /// Creates an anchor for `path`; a symbolic link as the last component is not followed.
    package init(_ path: String) throws {
        self.path = path
        folder = nil
        descriptor = try withPath(path) { name in try Int32(perform(.open, path) { Int(folio_open_path(name)) }) }
    }

    /// Creates an anchor for an open folder, and keeps the folder open.
    package init(_ folder: Directory) {
        path = folder.path
        self.folder = folder
        descriptor = folder.descriptor
    }

    deinit { if folder == nil { _ = close(descriptor) } }

    package func status() throws -> FileStatus { try FileStatus(descriptor: descriptor, path: path) }

    /// The identity of an item in the anchored folder, wherever the folder is now; nil if there is
    /// none. A symbolic link as the last component is not followed.
    package func identity(of name: String) throws -> FileIdentity? {
        try FileStatus.ifPresent(name, in: descriptor)?.identity
    }

    /// The current absolute path of the item; nil if it was removed.
    package func currentPath() throws -> String? {
        let identity = try status().identity
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        let length: Int
        do {
            length = try perform(.stat, path) {
                negated(readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count))
            }
        } catch let error as FileSystemError where error.code == .notFound {
            return try searchedPath(identity)
        }
        // The path of a removed item ends with “ (deleted)”, but another item may have this name.
        // So the identity is compared.
        guard let text = String(validating: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self),
            text.hasPrefix("/"),
            let found = try Disk.identity(of: text), found.isSameFile(as: identity)
        else { return nil }
        return text
    }

    // MARK: Without /proc

    /// The path of the item where /proc, which tells it, is not mounted. A folder is found from its
    /// parents, a file only in the folder that it was in.
    func searchedPath(_ identity: FileIdentity) throws -> String? {
        if try status().kind == .directory { return try Self.path(ofFolder: descriptor, identity) }
        let folder = try Directory(FilePath.parent(path), followingLink: true)
        guard let name = try Self.name(of: identity, in: folder),
            let path = try Self.path(ofFolder: folder.descriptor, folder.status().identity)
        else { return nil }
        return FilePath.join(path, name)
    }

    private static func path(ofFolder descriptor: Int32, _ identity: FileIdentity) throws -> String? {
        var names: [String] = [], (folder, identity) = (descriptor, identity), parents: [Directory] = []
        while true {
            let parent = try Directory(
                descriptor: openDescriptor("..", O_RDONLY | O_DIRECTORY, in: folder), path: "..")
            parents.append(parent)
            let above = try parent.status().identity
            if above.isSameFile(as: identity) { return "/" + names.reversed().joined(separator: "/") }
            guard let name = try name(of: identity, in: parent) else { return nil }
            names.append(name)
            (folder, identity) = (parent.descriptor, above)
        }
    }

    private static func name(of identity: FileIdentity, in folder: Directory) throws -> String? {
        try folder.names().first { try folder.status(of: $0)?.identity.isSameFile(as: identity) ?? false }
    }
}
