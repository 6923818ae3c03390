import Foundation

/// A path of the command line with symbolic links resolved, whether or not it exists.
package struct ResolvedPath {
    package let text: String

    package init(_ path: String) {
        let url = URL(fileURLWithPath: path)
        // For a path that does not exist, the folder is resolved.
        let folder = Self.resolving(url.deletingLastPathComponent().path)
        text =
            Self.resolving(path) ?? folder.map {
                URL(fileURLWithPath: $0).appendingPathComponent(url.lastPathComponent).path
            } ?? url.standardizedFileURL.path
    }

    private static func resolving(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    /// The last component.
    package var name: String { String(text.split(separator: "/").last ?? "") }

    /// Whether the path is beneath another one.
    package func lies(in folder: ResolvedPath) -> Bool { text.hasPrefix(folder.text + "/") }
}
