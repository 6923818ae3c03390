internal import CSystem
internal import Glibc

/// Holds on to a file or folder whatever it is called: it can be followed when it is moved, and
/// told from what was put in its place.
///
///     let anchor = try PathAnchor("Name.folio")
///     … somebody renames it …
///     try anchor.currentPath()      // "/home/ada/Other.folio"
///
/// Nothing is opened for reading, so an anchor on a store leaves SQLite's locks alone.
package final class PathAnchor: Sendable {
    package let path: String
    private let descriptor: Int32
    /// The folder whose descriptor that is; nil where it is the anchor's own.
    private let folder: Directory?

    /// Anchors what is at `path`; a link as the last component is not followed.
    package init(_ path: String) throws {
        self.path = path
        folder = nil
        descriptor = try withPath(path) { name in try Int32(perform(.open, path) { Int(folio_open_path(name)) }) }
    }

    /// Anchors a folder that is open already, and keeps it open.
    package init(_ folder: Directory) {
        path = folder.path
        self.folder = folder
        descriptor = folder.descriptor
    }

    deinit { if folder == nil { _ = close(descriptor) } }

    package func status() throws -> FileStatus { try FileStatus(descriptor: descriptor, path: path) }

    /// The identity of what lies beneath a folder that is held on to, wherever that is now; nil
    /// where there is nothing. No link is followed at its end.
    package func identity(of name: String) throws -> FileIdentity? {
        try FileStatus.ifPresent(name, in: descriptor)?.identity
    }

    /// Where the item is now, absolute; nil where it was removed.
    package func currentPath() throws -> String? {
        let identity = try status().identity
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        let length = try perform(.stat, path) {
            negated(readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count))
        }
        // What was removed reads as its old name with “ (deleted)” behind it, which another item
        // may really have.
        guard let text = String(validating: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self),
            text.hasPrefix("/"),
            let found = try Disk.identity(of: text), found.isSameFile(as: identity)
        else { return nil }
        return text
    }
}
