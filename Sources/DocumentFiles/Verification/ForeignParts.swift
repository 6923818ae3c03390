internal import FileSystem

/// The items in a package that are not its own regular files or folders: symbolic links, files with
/// several hard links, pipes, sockets and devices. Reading, packing and copying refuse them.
enum ForeignParts {
    /// Finds them folder by folder, without following symbolic links. Temporary files, which all
    /// readers ignore, and items that `PackageReader.checkStore` checks are skipped.
    /// - Parameter visit: Called with the path relative to the package, and with a description of
    ///   the item or the error of inspecting the folder at that path.
    static func forEach(in package: String, _ visit: (_ part: String, _ found: Result<String, any Error>) -> Void) {
        // Only one folder is open at a time, so that deep trees don't need many descriptors.
        var waiting: [String?] = [nil]
        while let folder = waiting.popLast() {
            do {
                try look(into: folder, of: Directory(package), &waiting) { visit($0, .success($1)) }
            } catch let error as FileSystemError where error.code == .notFound {
                // It was removed meanwhile.
            } catch {
                visit(folder ?? "document", .failure(error))
            }
        }
    }

    private static func look(
        into part: String?, of root: Directory, _ waiting: inout [String?],
        _ report: (_ part: String, _ reason: String) -> Void
    ) throws {
        let folder = try part.map { try root.directory($0) } ?? root
        for entry in try folder.entries(omittingInvalidNames: part == nil) {
            if PackageLayout.isTransient(entry.name[...]) || part == nil && PackageReader.checksKind(of: entry) {
                continue
            }
            let name = part.map { FilePath.join($0, entry.name) } ?? entry.name
            switch entry.kind {
            case .directory: if name != PackageLayout.storeFolder { waiting.append(name) }
            case .file:
                if let status = try folder.status(of: entry.name), status.linkCount > 1 { report(name, hardLink) }
            case .symbolicLink: report(name, "is a link, which a document has none of")
            case .other: report(name, "is neither a plain file nor a folder")
            }
        }
    }

    private static let hardLink = "has another name (hard link)"
}
