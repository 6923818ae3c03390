public import Foundation
internal import FileSystem

/// Who holds a document's lock, as the holder wrote it into the lock file.
public struct LockHolder: Sendable, Hashable, Codable, CustomStringConvertible {
    public var pid: Int32
    public var host: String
    /// Tells one run of the system from the next.
    public var bootID: String
    public var user: String
    public var program: String
    /// The document's UUID, where it was known when the lock was taken.
    public var document: String?
    public var since: Date

    /// This process, now.
    static func current(document: String?) -> LockHolder {
        let process = ProcessInfo.processInfo
        return LockHolder(
            pid: process.processIdentifier, host: process.hostName, bootID: bootIdentifier, user: process.userName,
            program: process.processName, document: document, since: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))
    }

    private static let bootIdentifier: String = {
        guard let bytes = try? Disk.read("/proc/sys/kernel/random/boot_id", limit: 100) else { return "" }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }()

    /// Whether a free kernel lock proves that the holder is gone: its kernel is ours, or was on this machine.
    func isOfThisMachine(_ current: LockHolder) -> Bool { bootID == current.bootID || host == current.host }

    /// One line: program, process, user, host, since when.
    public var description: String {
        "\(program) (process \(pid) of \(user) on \(host)) since \(since.formatted(.iso8601))"
    }
}
