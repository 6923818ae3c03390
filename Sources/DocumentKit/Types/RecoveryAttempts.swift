internal import DocumentFiles
internal import FileSystem
internal import Foundation

/// Counts the recoveries of a document that began and did not complete, so that work that crashes
/// the program is not recovered again and again.
///
/// The counter is written before a recovery begins, and removed when the document is saved,
/// autosaved or closed.
struct RecoveryAttempts {
    /// The number of failed recoveries after which a document is skipped.
    static let limit = 2

    private let path: String

    init(uuid: String) { path = FilePath.join(StateFolder.recovery, "\(uuid).json") }

    private struct Record: Codable {
        var attempts: Int
        var last: Date
    }

    var count: Int {
        guard let bytes = try? Disk.read(path, limit: 4096) else { return 0 }
        let attempts = (try? JSONCoding.decoder.decode(Record.self, from: Data(bytes)))?.attempts ?? 0
        return min(max(attempts, 0), Self.limit)
    }

    func begin() throws { try write(count + 1) }

    /// Takes back the last count.
    func takeBack() throws {
        if count > 1 { try write(count - 1) } else { try end() }
    }

    private func write(_ count: Int) throws {
        try Disk.makeDirectories(FilePath.parent(path), mode: 0o700)
        try Disk.replaceFile(
            path, with: Array(JSONCoding.encoder.encode(Record(attempts: count, last: .now))), mode: 0o600)
    }

    func end() throws { try Disk.removeFileIfPresent(path) }
}
