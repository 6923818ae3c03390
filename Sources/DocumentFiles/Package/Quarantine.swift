internal import FileSystem

/// The quarantined files of a package, which are never applied: WALs that did not belong to its
/// store, and versions that could not be read.
package enum Quarantine {
    /// A new name for the WAL of another store.
    static func walName() -> String { "\(PackageLayout.foreignWAL)\(UniqueName.make()).wal" }

    /// The paths of all quarantined files, sorted.
    package static func contents(ofPackage package: String) throws -> [String] {
        let journals = FilePath.name(PackageLayout.foreignWAL),
            versions = FilePath.join(package, PackageLayout.versions)
        var found: [String] = []
        if try Disk.kind(of: versions) == .directory {
            found += try Disk.list(versions).filter { $0.kind == .file && $0.name.hasPrefix(journals) }.map {
                FilePath.join(versions, $0.name)
            }
        }
        found += try Disk.list(package).filter {
            $0.kind == .directory && $0.name.hasPrefix(PackageLayout.damagedVersions + "-")
        }.map { FilePath.join(package, $0.name) }
        return found.sorted()
    }
}
