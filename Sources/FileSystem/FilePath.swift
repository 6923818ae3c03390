/// Taking paths apart. Paths are plain strings with `/` between their parts; nothing is resolved.
package enum FilePath {
    /// The last part, without a slash at its end.
    package static func name(_ path: String) -> String { String(split(path).name) }

    /// The folder that holds the item: `.` for a bare name, `/` for what stands at the root.
    package static func parent(_ path: String) -> String {
        let folder = split(path).folder
        if folder.isEmpty { return path.hasPrefix("/") ? "/" : "." }
        return String(folder)
    }

    package static func join(_ folder: String, _ name: String) -> String {
        folder == "." ? name : folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    /// A name for a companion of `path` in the same folder: `.name.tag-id`, cut so that it fits the 255 bytes of a name.
    package static func sibling(of path: String, tag: String, id: String) -> String {
        let suffix = ".\(tag)-\(id)"
        var name = name(path)
        while name.utf8.count + suffix.utf8.count + 1 > 255 { name.removeLast() }
        return join(parent(path), "." + name + suffix)
    }

    private static func split(_ path: String) -> (folder: Substring, name: Substring) {
        var whole = path[...]
        while whole.count > 1, whole.last == "/" { whole.removeLast() }
        guard let slash = whole.lastIndex(of: "/") else { return ("", whole) }
        var folder = whole[..<slash]
        while folder.last == "/" { folder.removeLast() }
        return (folder, whole[whole.index(after: slash)...])
    }
}
