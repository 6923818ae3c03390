internal import Foundation

/// Where a path that a person gave leads to.
enum LinkResolution {
    /// The path with links resolved as far as it exists, absolute.
    static func resolve(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
