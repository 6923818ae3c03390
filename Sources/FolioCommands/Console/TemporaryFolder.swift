import Folio
import Foundation

/// A folder for a while, for this user alone, removed with what is in it when nothing holds it. A
/// later run removes what a killed process left.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = try StateFolder.makeTemporary()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
