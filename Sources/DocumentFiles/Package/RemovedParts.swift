internal import Coding
internal import FileSystem

/// Which files of an archive the application has taken away since it was saved: an empty file in
/// the working set for each, named by the digest of the entry's name.
///
/// The archive has them until the next save, and the working set may be all that is left of what
/// was done.
struct RemovedParts {
    private let folder: String

    init(inWorkingSet path: String) { folder = FilePath.join(path, PackageLayout.removed) }

    /// Where it is noted beneath the working set that an entry is gone.
    static func mark(of entry: String) -> String {
        FilePath.join(PackageLayout.removed, Hex.encode(SHA256.digest(Array(entry.utf8)).prefix(16)))
    }

    /// A test for entries that are gone.
    func contains() throws -> (String) -> Bool {
        guard try Disk.kind(of: folder) == .directory else { return { _ in false } }
        let marks = Set(try Disk.list(folder).map(\.name))
        return { marks.contains(FilePath.name(Self.mark(of: $0))) }
    }
}
