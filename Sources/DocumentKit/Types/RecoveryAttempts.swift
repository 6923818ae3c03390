internal import DocumentFiles
internal import FileSystem
internal import Foundation

/// Counts the recoveries of a document that began and did not come to an end, so that work that
/// brings its program down is not taken up for ever.
///
/// The count stands on the disk before the recovery begins, and goes when the document was saved,
/// autosaved or closed.
struct RecoveryAttempts {
    /// A recovery that crashed so often is skipped.
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

    /// Counts the last one no more.
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
