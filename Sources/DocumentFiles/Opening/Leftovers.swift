internal import FileSystem

/// Cleans up after a crash while files were being replaced: finishes or undoes the replacement and
/// removes temporary files. Requires the document's lock.
enum Leftovers {
    /// Finishes or undoes the replacement of the item at a path, and removes temporary files beside
    /// it and in its folders. Does not follow symbolic links.
    static func mend(_ path: String) throws {
        try completeReplacement(of: path)
        guard try Disk.kind(of: path) == .directory else { return }
        for folder in [path, FilePath.join(path, PackageLayout.content), FilePath.join(path, PackageLayout.versions)] {
            try Disk.removeTemporaries(in: folder)
        }
    }

    /// Finishes or undoes the replacement of the item at a path only.
    static func completeReplacement(of path: String) throws {
        // Some file systems keep files that are open elsewhere under another name until then. What
        // can't be removed now, a later opening removes.
        for leftover in try Replacement.recover(path).leftovers { try? Disk.removeTree(leftover) }
    }

    /// Removes temporary files of replacements in a package.
    static func removeTemporaries(in package: PackageReader) throws {
        var isChanged = false
        for part in [nil, PackageLayout.content, PackageLayout.versions] {
            if let part, try package.kind(of: part) != .directory { continue }
            let folder = part.map { FilePath.join(package.path, $0) } ?? package.path
            for entry in try package.entries(of: part) ?? [] where try Disk.removeTemporary(entry.name, in: folder) {
                isChanged = true
            }
        }
        // A save removes those of the application's files from the folders to which it writes.
        if try package.kind(of: PackageLayout.extra) == .directory {
            let conflicts = "\(PackageLayout.extra)/\(PackageLayout.conflicts)"
            try Disk.removeTemporaries(in: FilePath.join(package.path, FilePath.parent(conflicts)))
        }
        if isChanged { package.forget() }
    }

    /// Finishes or undoes a replacement of a package's store, and removes temporary files of it and
    /// of models.
    static func completeStoreAndModels(of package: PackageReader) throws {
        let store = FilePath.join(package.path, PackageLayout.storeFolder)
        let root = try package.entries() ?? [], files = try? package.entries(of: PackageLayout.storeFolder)
        if files == nil || (root + (files ?? [])).contains(where: { $0.name.hasPrefix(".") }) {
            try mend(store)
            package.forget()
        }
        // Models and their temporary files are folders, so a single folder is the model. Temporary
        // files that can't be removed now are removed by a later opening.
        if (try? package.folderCount(in: PackageLayout.models)) != 1,
            let models = try? package.entries(of: PackageLayout.models),
            models.contains(where: { $0.name.hasPrefix(".") })
        {
            try? ModelFolder.removeLeftovers(in: package.path)
            package.forget()
        }
    }
}
