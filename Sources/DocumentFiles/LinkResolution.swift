internal import FileSystem
internal import Foundation

/// Resolves paths that were given by users.
package enum LinkResolution {
    /// The absolute path with symbolic links resolved, as far as it exists.
    package static func resolve(_ path: String) -> String {
        // `..` is removed before links are followed, as people read paths, not afterwards, as the
        // system does.
        if !leadsUp(path), let resolved = try? Disk.resolve(path) { return resolved }
        return URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Whether a part of the path is `..`.
    private static func leadsUp(_ path: String) -> Bool {
        let stop = UInt8(ascii: ".")
        guard zip(path.utf8, path.utf8.dropFirst()).contains(where: { $0 == stop && $1 == stop }) else { return false }
        return path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }
}
