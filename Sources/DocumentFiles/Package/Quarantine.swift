internal import FileSystem

/// What lies in a package and is not applied: WALs that were not its store's own, and versions that
/// could not be read.
package enum Quarantine {
    /// A new name in a package for a WAL that is not the store's.
    static func walName() -> String { "\(PackageLayout.foreignWAL)\(UniqueName.make()).wal" }

    /// The paths of all, in order.
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
