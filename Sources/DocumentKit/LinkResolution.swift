internal import FileSystem
internal import Foundation

/// Where a path that a person gave leads to.
enum LinkResolution {
    /// The path with links resolved as far as it exists, absolute.
    static func resolve(_ path: String) -> String {
        // `..` is taken away before links are followed, as people read paths, and not after them, as the system does.
        if !path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }), let resolved = try? Disk.resolve(path) {
            return resolved
        }
        return URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
