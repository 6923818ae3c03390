internal import FileSystem
package import Foundation
package import SQLiteKit

/// The versions of a document's store, in the folder `versions/` of its package.
///
///     versions/index.json     the list of versions (`VersionIndex`)
///     versions/<n>.delta      the difference from the next newer state to state n (`DeltaHeader`)
///     versions/<n>.<r>.delta  the same, written again by pruning
///     versions/<n>.base       a full copy of state n
///
/// The newest delta is based on the document's saved state: its main file, or the main file and the
/// WAL up to a mark.
///
/// Invariants:
/// 1. A file is only valid if the index contains it. The file and its name are durable before it is
///    added to the index; it is deleted after it was removed from the index.
/// 2. A state is kept before it is overwritten: `keep` returns before the checkpoint begins.
/// 3. The document's lock is required to keep, prune or pin versions.
package struct VersionStore: Sendable {
    package let folder: String
    package var policy: BasePolicy
    /// Clones the main file; returns false if the file system does not support that.
    let clone: @Sendable (DatabaseFiles, String) throws -> Bool

    /// Creates the store for a versions folder, which need not exist. Nothing is read.
    package init(
        folder: String, policy: BasePolicy = BasePolicy(),
        clone: @escaping @Sendable (DatabaseFiles, String) throws -> Bool = { try $0.cloneMain(to: $1) }
    ) {
        self.folder = folder
        self.policy = policy
        self.clone = clone
    }

    package init(inPackage package: String) { self.init(folder: FilePath.join(package, PackageLayout.versions)) }

    /// Determines when a full copy is kept besides a delta, to limit the length of delta chains.
    package struct BasePolicy: Sendable, Hashable {
        /// The number of consecutive deltas after which a copy is made, if it is cheap.
        package var interval = 20
        /// The maximum store size in bytes for which a copy is cheap. Copies of larger stores would
        /// make the cost of a save depend on the size of the document instead of the change.
        package var cheapSize: Int64 = 8 << 20
        /// A copy is made when consecutive deltas exceed the size of the store divided by this
        /// number.
        package var share: Int64 = 2
        /// Whether copies are made at all.
        package var makesBases = true

        package init() {}
    }

    /// The versions, the oldest first; empty if there are none.
    package func list() throws -> [DocumentVersion] { try VersionIndex.read(in: folder).rows.map(\.version) }

    /// Excludes a version from thinning, or includes it again.
    package func setPinned(_ isPinned: Bool, _ number: Int) throws {
        try change(number) { row in
            if isPinned { row.flags.insert(.isPinned) } else { row.flags.remove(.isPinned) }
        }
    }

    /// Sets the name of a version, cut to 200 characters; nil removes it.
    package func setName(_ name: String?, _ number: Int) throws {
        try change(number) { $0.name = name.map { String($0.prefix(VersionIndex.maximumNameLength)) } }
    }

    private func change(_ number: Int, _ body: (inout VersionIndex.Row) -> Void) throws {
        var index = try VersionIndex.read(in: folder)
        guard let position = index.position(of: number) else { throw missing(number) }
        let before = index.rows[position]
        body(&index.rows[position])
        if index.rows[position] != before { try index.write(in: folder) }
    }

    /// The names in `content/` to which only versions refer and not the saved state. Nil if they
    /// are not known, because a program changed the document without keeping a version; no values
    /// may be collected then.
    package func contentReferences() throws -> Set<UUID>? {
        let index = try VersionIndex.read(in: folder)
        var names = Set<UUID>()
        for row in index.rows {
            if row.flags.contains(.hasUnknownReferences) { return nil }
            names.formUnion(try delta(of: row).references.dropped)
        }
        return names
    }

    /// The names in `content/` to which versions refer, but not the saved state of this generation,
    /// as far as that is certain.
    package func namesOnlyInVersions(generation: Int) throws -> Set<UUID> {
        let index = try VersionIndex.read(in: folder)
        guard index.head?.generation == generation else { return [] }
        // The newest delta that contains a name determines whether the saved state refers to it.
        var present = Set<UUID>(), absent = Set<UUID>()
        for row in index.rows.reversed() {
            guard !row.flags.contains(.hasUnknownReferences), let references = try? delta(of: row).references else {
                break
            }
            present.formUnion(references.added.subtracting(absent))
            absent.formUnion(references.dropped.subtracting(present))
        }
        return absent
    }

    // MARK: Files

    package func path(_ name: String) -> String { FilePath.join(folder, name) }

    func delta(of row: VersionIndex.Row) throws -> DeltaFile {
        do {
            return try DeltaFile(path(row.deltaName))
        } catch let error as FileSystemError where error.code == .notFound {
            throw DocumentError(
                .malformed, "the file of version \(row.generation) is missing", path: path(row.deltaName),
                underlying: error)
        }
    }

    func missing(_ number: Int) -> DocumentError {
        DocumentError(.notFound, "there is no version \(number)", path: folder)
    }

    /// Deletes files left by crashes and errors: those with names of versions that the index does
    /// not contain.
    package func removeStrays() throws { try removeStrays(VersionIndex.read(in: folder)) }

    func removeStrays(_ index: VersionIndex) throws {
        guard try Disk.kind(of: folder) == .directory else { return }
        let strays = try Disk.list(folder).filter { $0.kind == .file && Self.isOwn($0.name) && !index.names($0.name) }
        // Make the current index durable first, because an earlier one may contain the files.
        if !strays.isEmpty { try Disk.synchronizeDirectory(folder) }
        for stray in strays { try Disk.removeFileIfPresent(path(stray.name)) }
    }

    /// Whether a name is `<n>.delta`, `<n>.<r>.delta`, `<n>.base`, or that of a temporary index.
    private static func isOwn(_ name: String) -> Bool {
        if name.hasPrefix(".\(VersionIndex.fileName).tmp-") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, last == "delta" || last == "base" else { return false }
        return parts.count <= 3 && parts.count >= 2
            && parts.dropLast().allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
    }

    /// Creates the folder durably if it does not exist; throws if it is a symbolic link.
    func prepareFolder() throws {
        switch try Disk.kind(of: folder) {
        case .directory: return
        case nil:
            try Disk.makeDirectory(
                folder, mode: FileProtection(of: FilePath.join(FilePath.parent(folder), PackageLayout.store)).folderMode
            )
            try Disk.synchronizeDirectory(FilePath.parent(folder))
        default: throw DocumentError(.malformed, "the folder of versions is none", path: folder)
        }
    }

    /// Runs `body`, which creates files and records their names. If it throws, the files are
    /// deleted as far as possible.
    func making<Result>(_ body: (inout [String]) throws -> Result) throws -> Result {
        var made: [String] = []
        do {
            return try body(&made)
        } catch {
            // An index that was renamed into place is valid, even if it is not durable yet. The
            // first error is thrown; files that can't be deleted now are deleted before the next
            // version is kept.
            if let index = try? VersionIndex.read(in: folder) {
                for name in made where !index.names(name) { _ = try? Disk.removeFileIfPresent(path(name)) }
            }
            throw error
        }
    }
}
