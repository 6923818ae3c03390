internal import FileSystem
internal import ModelFiles
package import Schema

/// The folder of one model in a package or a working set, `model/<name>.xcdatamodel`.
///
/// Invariant: a folder with this name is complete. It is created and removed under a hidden name,
/// which readers ignore and the next opening removes.
package struct ModelFolder {
    package let path: String

    package init(_ name: String, in package: String) { path = "\(package)/\(PackageLayout.models)/\(name).xcdatamodel" }

    /// Writes the folder durably. It must not exist.
    package func write(_ model: ManagedObjectModel) throws {
        let temporary = FilePath.sibling(of: path, tag: Self.tag, id: UniqueName.make())
        // The working set of an archive may have no folder for models yet.
        try Disk.makeDirectories(FilePath.parent(path), isDurable: true)
        do {
            try Disk.makeDirectory(temporary)
            let file = try File(FilePath.join(temporary, Self.contents), .create())
            defer { file.close() }
            try file.append(Array(ModelContents.encode(model)))
            try file.synchronize()
            try Disk.synchronizeDirectory(temporary)
            try Disk.renameWithoutReplacing(temporary, to: path)
        } catch {
            // Report the first error.
            try? Disk.removeTree(temporary)
            throw error
        }
        try Disk.synchronizeDirectory(FilePath.parent(path))
    }

    /// Removes the folder. Errors are ignored, because an unused model does no harm.
    package func remove() {
        let temporary = FilePath.sibling(of: path, tag: Self.tag, id: UniqueName.make())
        guard (try? Disk.rename(path, to: temporary)) != nil else { return }
        // Make the removal of the name durable first, so that a power failure can't leave an
        // incomplete folder with this name.
        guard (try? Disk.synchronizeDirectory(FilePath.parent(path))) != nil else { return }
        try? Disk.removeTree(temporary)
    }

    /// Removes the temporary folders of failed writes and removals. Requires the document's lock.
    static func removeLeftovers(in package: String) throws {
        let folder = FilePath.join(package, PackageLayout.models)
        guard try Disk.kind(of: folder) == .directory else { return }
        for entry in try Disk.list(folder) where isLeftover(entry.name) {
            try Disk.removeTree(FilePath.join(folder, entry.name))
        }
    }

    private static func isLeftover(_ name: String) -> Bool {
        let id = name.suffix(UniqueName.length)
        return name.hasPrefix(".") && UniqueName.isOne(id) && name.dropLast(UniqueName.length).hasSuffix(".\(tag)-")
    }

    private static let tag = "tmp", contents = "contents"
}

extension ModelFolder {
    /// Writes a model durably beside the existing ones, under an unused name.
    package static func write(
        _ model: ManagedObjectModel, named wanted: String, to package: String, besides old: [String]
    ) throws -> String {
        var name = wanted, number = 2
        while old.contains(name) {
            name = "\(wanted) \(number)"
            number += 1
        }
        try ModelFolder(name, in: package).write(model)
        return name
    }
}
