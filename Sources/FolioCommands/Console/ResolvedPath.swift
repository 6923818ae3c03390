import Foundation

/// Where a path of the command line leads to, links followed, whether or not anything is there.
struct ResolvedPath {
    let text: String

    init(_ path: String) {
        let url = URL(fileURLWithPath: path)
        // Of something new its folder is followed.
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

    /// The last part.
    var name: String { String(text.split(separator: "/").last ?? "") }

    /// Whether it lies beneath another.
    func lies(in folder: ResolvedPath) -> Bool { text.hasPrefix(folder.text + "/") }
}
