internal import ArchiveKit
internal import FileSystem
internal import SQLiteFile
internal import Storage

/// The earlier saved states that an archive keeps for merges with copies of it, beneath
/// `extra/folio-merge`, where programs that don't know them carry them along: page differences as
/// versions have them, without large values. They are bounded, and no versions: nothing shows them.
enum MergeStates {
    /// Of more states, the oldest are removed.
    static let maximumCount = 128

    /// What the differences may take: a quarter of the store, or this.
    static func maximumBytes(_ size: Int64) -> Int64 { max(size / 4, 1 << 20) }

    /// The states that a folder with the parts of an archive holds.
    static func store(in folder: String) -> VersionStore {
        var policy = VersionStore.BasePolicy()
        policy.makesBases = false
        return VersionStore(folder: FilePath.join(folder, PackageLayout.mergeStates), policy: policy) { _, _ in false }
    }

    /// Keeps a state that a save replaces. What can't be read of earlier ones is given up.
    static func keep(
        _ older: DatabaseState, by newer: DatabaseState, saved: SavedState, previous: SavedState,
        recorded: SavedPages?, sum: StateSum, in folder: String
    ) throws {
        let states = store(in: folder)
        func keepOnce() throws {
            try Disk.makeDirectories(states.folder, mode: 0o700)
            try states.keepReplaced(
                older, by: newer, saved: saved, previous: previous, references: ContentReferences(), recorded: recorded,
                sum: sum)
            try states.removeOldest(beyond: maximumCount, bytes: maximumBytes(newer.size))
        }
        do {
            try keepOnce()
        } catch let error as DocumentError where [.malformed, .newer].contains(error.code) {
            try Disk.removeTree(states.folder)
            try keepOnce()
        }
    }
}

extension MergeStates {
    /// Removes the states from a folder that the parts of an archive were extracted to: they lead
    /// up to the state of that archive alone.
    static func remove(from folder: String) throws {
        let states = FilePath.join(folder, PackageLayout.mergeStates)
        guard try Disk.exists(states) else { return }
        try Disk.removeTree(states)
        // Fails for folders that hold something else, which is right.
        try? Disk.removeEmptyDirectory(FilePath.parent(states))
        try? Disk.removeEmptyDirectory(FilePath.join(folder, PackageLayout.extra))
    }
}

extension DocumentSession {
    /// Extracts the states that an archive keeps for merges to a folder; nil if there are none.
    /// - Parameter isList: Whether only their list is wanted.
    func archivedMergeStates(in folder: String, isList: Bool = false) throws -> VersionStore? {
        guard let archive = place.archive else { return nil }
        let list = FilePath.join(PackageLayout.mergeStates, VersionIndex.fileName)
        guard archive.reader.directory[list] != nil else { return nil }
        try archive.reader.extract(into: folder) { isList ? $0 == list : PackageLayout.isMergeState($0) }
        return MergeStates.store(in: folder)
    }
}
