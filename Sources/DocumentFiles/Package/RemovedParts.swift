internal import Coding
internal import FileSystem

/// Records the files that the application has removed from an archive since the last save: the
/// working set contains an empty file for each, named by the digest of the entry's name.
///
/// The archive contains the files until the next save, so the removals have to survive a crash in
/// the working set.
struct RemovedParts {
    private let folder: String

    init(inWorkingSet path: String) { folder = FilePath.join(path, PackageLayout.removed) }

    /// The path of the mark for a removed entry, relative to the working set.
    static func mark(of entry: String) -> String {
        FilePath.join(PackageLayout.removed, Hex.encode(SHA256.digest(Array(entry.utf8)).prefix(16)))
    }

    /// A predicate for the names of removed entries.
    func contains() throws -> (String) -> Bool {
        guard try Disk.kind(of: folder) == .directory else { return { _ in false } }
        let marks = Set(try Disk.list(folder).map(\.name))
        return { marks.contains(FilePath.name(Self.mark(of: $0))) }
    }
}
