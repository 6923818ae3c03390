internal import FileSystem
internal import Foundation

/// Where a WAL must not lie beside a store: on file systems of the network and of programs, whose shared memory and locks hold for one machine at best, and in folders that a
/// program keeps the same on several machines, which would carry one file of the two and not the other.
enum SharedPlace {
    /// The names that programs give such folders: as they are, or with an account's name behind.
    private static let folderNames: Set<String> = [
        "Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "Nextcloud", "ownCloud", "Seafile", "MEGAsync", "pCloudDrive", "Box Sync", "iCloud Drive", "Syncthing",
    ]
    private static let accountNames = ["Dropbox (", "OneDrive - ", "Google Drive (", "Nextcloud (", "ownCloud ("]
    /// What Syncthing puts into a folder that it watches over, whose name is the user's.
    private static let marker = ".stfolder"
    /// More such folders, with colons between them.
    private static let variable = "FOLIO_SHARED_FOLDERS"

    /// Whether a package's WAL has to lie elsewhere.
    static func holds(_ package: String) throws -> Bool {
        if try Volume.of(package) != .local { return true }
        if let named = getenv(variable), String(cString: named).split(separator: ":").contains(where: { isBeneath(package, String($0)) }) { return true }
        var folder = FilePath.parent(package)
        while folder != "/" && !folder.isEmpty && folder != "." {
            let name = FilePath.name(folder)
            if folderNames.contains(name) || accountNames.contains(where: { name.hasPrefix($0) }) { return true }
            if try Disk.exists(FilePath.join(folder, marker)) { return true }
            let parent = FilePath.parent(folder)
            if parent == folder { break }
            folder = parent
        }
        return false
    }

    private static func isBeneath(_ path: String, _ folder: String) -> Bool {
        let folder = LinkResolution.resolve(folder)
        return path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }
}
