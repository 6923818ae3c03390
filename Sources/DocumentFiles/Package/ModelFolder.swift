internal import FileSystem
internal import ModelFiles
package import Schema

/// The folder of one model in a package or a working set, `model/<name>.xcdatamodel`.
///
/// Invariant: under its name it is whole or not there. It is made and removed under a hidden name,
/// which no reader looks at and the next opening clears away.
package struct ModelFolder {
    package let path: String

    package init(_ name: String, in package: String) { path = "\(package)/\(PackageLayout.models)/\(name).xcdatamodel" }

    /// Makes it, durably; nothing is there yet.
    package func write(_ model: ManagedObjectModel) throws {
        let temporary = FilePath.sibling(of: path, tag: Self.tag, id: UniqueName.make())
        // The working set of an archive has no models of its own yet.
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
            // The first error is the one that counts.
            try? Disk.removeTree(temporary)
            throw error
        }
        try Disk.synchronizeDirectory(FilePath.parent(path))
    }

    /// Takes it away. A model too many does no harm, so it is no failure where it stays.
    package func remove() {
        let temporary = FilePath.sibling(of: path, tag: Self.tag, id: UniqueName.make())
        guard (try? Disk.rename(path, to: temporary)) != nil else { return }
        // The name first: what a power cut leaves must not be half a model under it.
        guard (try? Disk.synchronizeDirectory(FilePath.parent(path))) != nil else { return }
        try? Disk.removeTree(temporary)
    }

    /// Removes what was being made or removed when something failed. The document's lock is held.
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
    /// Writes a model durably beside those that are there, under a name that is free.
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
