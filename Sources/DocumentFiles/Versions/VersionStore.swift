internal import FileSystem
package import Foundation
package import SQLiteKit

/// The earlier saved states of a document's store, in the folder `versions/` of its package.
///
///     versions/index.json     what is kept (`VersionIndex`)
///     versions/<n>.delta      how to make state n from the next newer one (`DeltaHeader`); <n>.<r>.delta when it was written anew
///     versions/<n>.base       state n itself, byte by byte
///
/// The newest delta leads from the document's saved state: its main file, or the main file and the
/// WAL up to a mark.
///
/// Invariants:
/// 1. A file counts only if the index names it. It is durable, and its name is, before the index
///    says so; it is removed after the index no longer does.
/// 2. A state is kept before anything overwrites it: `keep` returns before the checkpoint begins.
/// 3. Whoever keeps, prunes or pins holds the document's lock.
package struct VersionStore: Sendable {
    package let folder: String
    package var policy: BasePolicy
    /// How the main file is cloned; answers false where the file system can't.
    let clone: @Sendable (DatabaseFiles, String) throws -> Bool

    /// The versions of the package whose versions folder this is; the folder need not be there yet.
    /// Nothing is read.
    package init(
        folder: String, policy: BasePolicy = BasePolicy(),
        clone: @escaping @Sendable (DatabaseFiles, String) throws -> Bool = { try $0.cloneMain(to: $1) }
    ) {
        self.folder = folder
        self.policy = policy
        self.clone = clone
    }

    package init(inPackage package: String) { self.init(folder: FilePath.join(package, PackageLayout.versions)) }

    /// When a whole copy is kept beside a delta, so that a chain of deltas does not grow without
    /// end.
    package struct BasePolicy: Sendable, Hashable {
        /// So many deltas in a row, where a copy is cheap.
        package var interval = 20
        /// Up to this size of the store, in bytes, a copy is cheap. Above, the cost of a save would
        /// come with the document's size and not with the change.
        package var cheapSize: Int64 = 8 << 20
        /// Deltas in a row that together have as many bytes as one part in so many of the store.
        package var share: Int64 = 2

        package init() {}
    }

    /// The versions, oldest first. An empty list where none was kept.
    package func list() throws -> [DocumentVersion] { try VersionIndex.read(in: folder).rows.map(\.version) }

    /// Keeps a version from thinning, or gives it free again.
    package func setPinned(_ isPinned: Bool, _ number: Int) throws {
        try change(number) { row in
            if isPinned { row.flags.insert(.isPinned) } else { row.flags.remove(.isPinned) }
        }
    }

    /// Calls a version by a name, of which the first 200 characters count; nil takes it away.
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

    /// The names in `content/` that versions refer to, beside those that the saved state does. Nil
    /// where that can't be known, since the document was changed by a program that kept no version:
    /// then nothing may be collected.
    package func contentReferences() throws -> Set<UUID>? {
        let index = try VersionIndex.read(in: folder)
        var names = Set<UUID>()
        for row in index.rows {
            if row.flags.contains(.hasUnknownReferences) { return nil }
            names.formUnion(try delta(of: row).references.dropped)
        }
        return names
    }

    /// The names in `content/` that versions refer to and the saved state of this generation does
    /// not, as far as that is known for certain.
    package func namesOnlyInVersions(generation: Int) throws -> Set<UUID> {
        let index = try VersionIndex.read(in: folder)
        guard index.head?.generation == generation else { return [] }
        // The newest step that speaks of a name says whether the saved state has it.
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

    /// Removes what crashes and failures have left: files of the engine's own names that the index
    /// does not name.
    package func removeStrays() throws { try removeStrays(VersionIndex.read(in: folder)) }

    func removeStrays(_ index: VersionIndex) throws {
        guard try Disk.kind(of: folder) == .directory else { return }
        let strays = try Disk.list(folder).filter { $0.kind == .file && Self.isOwn($0.name) && !index.names($0.name) }
        // An index before this one may have named them: it must not come back.
        if !strays.isEmpty { try Disk.synchronizeDirectory(folder) }
        for stray in strays { try Disk.removeFileIfPresent(path(stray.name)) }
    }

    /// `<n>.delta`, `<n>.<r>.delta`, `<n>.base`, and an index that never took its name.
    private static func isOwn(_ name: String) -> Bool {
        if name.hasPrefix(".\(VersionIndex.fileName).tmp-") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, last == "delta" || last == "base" else { return false }
        return parts.count <= 3 && parts.count >= 2
            && parts.dropLast().allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
    }

    /// Makes the folder durably where it is missing; refuses a link in its place.
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

    /// Runs `body`, which makes files; where it throws, they are taken away as far as that can be
    /// done.
    func making<Result>(_ body: (inout [String]) throws -> Result) throws -> Result {
        var made: [String] = []
        do {
            return try body(&made)
        } catch {
            // An index that has taken its name counts, though it may not be durable. The first
            // error is the one that is told; what stays is removed before the next version is kept.
            if let index = try? VersionIndex.read(in: folder) {
                for name in made where !index.names(name) { _ = try? Disk.removeFileIfPresent(path(name)) }
            }
            throw error
        }
    }
}
