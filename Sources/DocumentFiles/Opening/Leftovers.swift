internal import FileSystem

/// What a crash left of replacing files, which is finished, undone or removed. The document's lock
/// is held.
enum Leftovers {
    /// Finishes or undoes the replacement of what is at a path, and removes what it left, within a
    /// package too; what a link leads to is not this one's.
    static func mend(_ path: String) throws {
        try completeReplacement(of: path)
        guard try Disk.kind(of: path) == .directory else { return }
        for folder in [path, FilePath.join(path, PackageLayout.content), FilePath.join(path, PackageLayout.versions)] {
            try Disk.removeTemporaries(in: folder)
        }
    }

    /// Finishes or undoes the replacement of what is at a path alone.
    static func completeReplacement(of path: String) throws {
        for leftover in try Replacement.recover(path).leftovers { try Disk.removeTree(leftover) }
    }

    /// Removes what is left of files that were being replaced in a package.
    static func removeTemporaries(in package: PackageReader) throws {
        var isChanged = false
        for part in [nil, PackageLayout.content, PackageLayout.versions] {
            if let part, try package.kind(of: part) != .directory { continue }
            let folder = part.map { FilePath.join(package.path, $0) } ?? package.path
            for entry in try package.entries(of: part) ?? [] where try Disk.removeTemporary(entry.name, in: folder) {
                isChanged = true
            }
        }
        if isChanged { package.forget() }
    }

    /// Finishes or undoes a replacement of a package's store, and removes what it left, also of
    /// making models.
    static func completeStoreAndModels(of package: PackageReader) throws {
        let store = FilePath.join(package.path, PackageLayout.storeFolder)
        let root = try package.entries() ?? [], files = try? package.entries(of: PackageLayout.storeFolder)
        if files == nil || (root + (files ?? [])).contains(where: { $0.name.hasPrefix(".") }) {
            try mend(store)
            package.forget()
        }
        // A model is a folder, as is what is left of one: where there is one folder alone, it is
        // the model. What stays for now goes with a later opening.
        if (try? package.folderCount(in: PackageLayout.models)) != 1,
            let models = try? package.entries(of: PackageLayout.models),
            models.contains(where: { $0.name.hasPrefix(".") })
        {
            try? ModelFolder.removeLeftovers(in: package.path)
            package.forget()
        }
    }
}
