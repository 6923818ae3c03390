internal import FileSystem

/// The autosaved work of an archive that was never saved to it. It is in the user's state folder.
struct UnsavedWork {
    /// The store on which the work is based, if it is not that of the archive.
    let store: String?
    let journal: String
    private let content: String

    /// Finds the work for an archive, even if damage has changed the archive's state.
    /// - Parameter extracted: The folder with the entries that could be extracted from the archive.
    static func find(archive path: String, extracted folder: String) -> UnsavedWork? {
        guard let uuid = try? PackageReader(folder).manifest().uuid, let set = workingSet(path, uuid) else {
            return nil
        }
        let store = FilePath.join(set, PackageLayout.store)
        let hasStore = (try? Disk.kind(of: store)) == .file
        guard hasStore || (try? StoreWAL(ofStoreAt: store).hasContent()) == true else { return nil }
        return UnsavedWork(
            store: hasStore ? store : nil, journal: store + "-wal", content: FilePath.join(set, PackageLayout.content))
    }

    private static func workingSet(_ path: String, _ uuid: String) -> String? {
        if let archive = try? ArchiveFile(path), let set = try? WorkingSet.existing(for: archive, uuid: uuid) {
            return set.path
        }
        let others = ((try? WorkingSet.all(uuid)) ?? []).filter { folder in
            (try? WorkingSetOrigin.read(in: folder))?.path == path
        }
        return others.count == 1 ? others[0] : nil
    }

    /// Copies the large values of the work beside those of the archive.
    func takeValues(to folder: String) -> [DocumentFinding] {
        guard (try? Disk.kind(of: content)) == .directory else { return [] }
        do {
            for group in try Disk.list(content) where group.kind == .directory {
                let source = FilePath.join(content, group.name),
                    target = "\(folder)/\(PackageLayout.content)/\(group.name)"
                for entry in try Disk.list(source)
                where entry.kind == .file && !PackageLayout.isTransient(entry.name[...]) {
                    let copy = FilePath.join(target, entry.name)
                    guard try !Disk.exists(copy) else { continue }
                    try Disk.makeDirectories(target, mode: 0o700)
                    try Disk.copyFile(FilePath.join(source, entry.name), to: copy)
                }
            }
            return []
        } catch {
            return [DocumentFinding("attachments", "values that were never saved can't be read: \(error)")]
        }
    }
}
