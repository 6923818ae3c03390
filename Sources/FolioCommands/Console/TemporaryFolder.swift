import Folio
import Foundation

/// A temporary folder for this user only, which is removed with its contents on deallocation. If
/// the process is killed, a later run removes it.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = try StateFolder.makeTemporary()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
