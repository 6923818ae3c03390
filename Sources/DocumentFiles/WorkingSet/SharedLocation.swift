internal import FileSystem
internal import Foundation

/// Where a WAL must not lie beside a store: on file systems of the network and of programs, whose
/// shared memory and locks hold for one machine at best, and in folders that a program keeps the
/// same on several machines, which would carry one file of the two and not the other.
package enum SharedLocation {
    /// The names that programs give such folders: as they are, or with an account's name behind.
    private static let folderNames: Set<String> = [
        "Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "Nextcloud", "ownCloud", "Seafile", "MEGAsync",
        "pCloudDrive", "Box Sync", "iCloud Drive", "Syncthing",
    ]
    private static let accountNames = ["Dropbox (", "OneDrive - ", "Google Drive (", "Nextcloud (", "ownCloud ("]
    /// What Syncthing puts into a folder that it watches over, whose name is the user's.
    private static let marker = ".stfolder"
    /// More such folders, with colons between them.
    private static let variable = "FOLIO_SHARED_FOLDERS"

    /// Whether a package's WAL has to lie elsewhere.
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
        // Before an account's name there is a space; the others are looked up without comparing
        // character by character. Beyond ASCII, a space may have a mark on it.
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
