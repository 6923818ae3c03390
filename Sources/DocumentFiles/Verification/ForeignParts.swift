internal import FileSystem

/// What lies in a package and is no plain file or folder of its own: symbolic links, files with
/// another name (hard links), pipes, sockets and devices. Reading, packing and copying refuse them.
enum ForeignParts {
    /// Visits them folder by folder, without following any link. What is passed over by every
    /// reader is passed over here: half-made files, and what `PackageReader.checkStore` looks at.
    /// - Parameter visit: Called with the path beneath the package, and with what it is; or with
    ///   what keeps the folder of that path from being looked at.
    static func forEach(in package: String, _ visit: (_ part: String, _ found: Result<String, any Error>) -> Void) {
        // Folders are opened one at a time, so that a deep tree takes no more descriptors than a
        // flat one.
        var waiting: [String?] = [nil]
        while let folder = waiting.popLast() {
            do {
                try look(into: folder, of: Directory(package), &waiting) { visit($0, .success($1)) }
            } catch let error as FileSystemError where error.code == .notFound {
                // Somebody removed it meanwhile.
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
