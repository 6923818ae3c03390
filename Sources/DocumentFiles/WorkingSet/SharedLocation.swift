internal import FileSystem
internal import Foundation

/// Detects locations in which a store must not have a WAL: network and FUSE file systems, whose
/// shared memory and locks work on one machine at best, and folders that are synchronized between
/// machines, where the store and its WAL could be synchronized separately.
package enum SharedLocation {
    /// The names of synchronized folders; an account name may follow some of them.
    private static let folderNames: Set<String> = [
        "Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "Nextcloud", "ownCloud", "Seafile", "MEGAsync",
        "pCloudDrive", "Box Sync", "iCloud Drive", "Syncthing",
    ]
    private static let accountNames = ["Dropbox (", "OneDrive - ", "Google Drive (", "Nextcloud (", "ownCloud ("]
    /// The file that Syncthing creates in each synchronized folder, which may have any name.
    private static let marker = ".stfolder"
    /// An environment variable with more such folders, separated by colons.
    private static let variable = "FOLIO_SHARED_FOLDERS"

    /// Whether the WAL of a package has to be stored elsewhere.
    package static func holds(_ package: String) throws -> Bool {
        if try Volume.of(package) != .local { return true }
        if let named = getenv(variable),
            String(cString: named).split(separator: ":").contains(where: { isBeneath(package, String($0)) })
        {
            return true
        }
        let folders = package.utf8.split(separator: UInt8(ascii: "/")).dropLast()
        return folders.contains { isNameOfSharedFolder(Substring($0)) }
            ? true : try Disk.isBeneathFolder(of: package, holding: marker)
    }

    private static func isNameOfSharedFolder(_ name: Substring) -> Bool {
        // A space precedes an account name, so `hasPrefix` is only needed for names with a space,
        // or with characters beyond ASCII, because a space may be combined with a diacritic.
        if name.utf8.contains(where: { $0 == UInt8(ascii: " ") || $0 >= 0x80 }),
            accountNames.contains(where: { name.hasPrefix($0) })
        {
            return true
        }
        return folderNames.contains(String(name))
    }

    private static func isBeneath(_ path: String, _ folder: String) -> Bool {
        let folder = LinkResolution.resolve(folder)
        return path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }
}
