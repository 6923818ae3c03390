/// Operations on path strings, without file system access. Components are separated by `/`.
package enum FilePath {
    /// The last component, without a trailing slash.
    package static func name(_ path: String) -> String { String(split(path).name) }

    /// The folder that contains the item: `.` for a bare name, `/` for an item of the root.
    package static func parent(_ path: String) -> String {
        let folder = split(path).folder
        if folder.isEmpty { return path.utf8.first == slash ? "/" : "." }
        return String(folder)
    }

    package static func join(_ folder: String, _ name: String) -> String {
        folder == "." ? name : folder.utf8.last == slash ? folder + name : folder + "/" + name
    }

    /// A name for a companion of `path` in the same folder: `.name.tag-id`, with the name truncated
    /// to the limit of 255 bytes.
    package static func sibling(of path: String, tag: String, id: String) -> String {
        let suffix = ".\(tag)-\(id)"
        var name = name(path)
        while name.utf8.count + suffix.utf8.count + 1 > 255 { name.removeLast() }
        return join(parent(path), "." + name + suffix)
    }

    // Slashes are compared as bytes, because a slash before a combining mark is a different
    // `Character`.
    private static let slash = UInt8(ascii: "/")

    private static func split(_ path: String) -> (folder: Substring, name: Substring) {
        var whole = path.utf8[...]
        while whole.count > 1, whole.last == slash { whole.removeLast() }
        guard let place = whole.lastIndex(of: slash) else { return ("", Substring(whole)) }
        var folder = whole[..<place]
        while folder.last == slash { folder.removeLast() }
        return (Substring(folder), Substring(whole[whole.index(after: place)...]))
    }
}
