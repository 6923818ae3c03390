public import Foundation
internal import Coding
internal import FileSystem

/// The process that holds the lock of a document, as it is recorded in the lock file.
public struct LockHolder: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The process ID.
    public var pid: Int32
    /// The name of the host on which the process runs.
    public var host: String
    /// An identifier of the host's current boot.
    public var bootID: String
    /// The name of the user.
    public var user: String
    /// The name of the program.
    public var program: String
    /// The UUID of the document, if it was known when the lock was acquired.
    public var document: String?
    /// The time at which the lock was acquired.
    public var since: Date

    /// This process, with the current time.
    package static func current(document: String?) -> LockHolder {
        var holder = thisProcess
        holder.document = document
        holder.since = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        return holder
    }

    private static let thisProcess: LockHolder = {
        let process = ProcessInfo.processInfo
        return LockHolder(
            pid: process.processIdentifier, host: process.hostName, bootID: bootIdentifier, user: process.userName,
            program: process.processName,
            document: nil, since: .distantPast)
    }()

    /// The holder as JSON, in the encoder's format. Written directly for speed, because opening a
    /// document writes it twice.
    var json: [UInt8] {
        get throws {
            var text: [UInt8] = []
            text.reserveCapacity(320)
            func add(_ name: StaticString, _ value: String, isNumber: Bool = false) throws {
                text += (text.isEmpty ? "{\n  \"" : ",\n  \"").utf8
                name.withUTF8Buffer { text += $0 }
                text += "\" : ".utf8
                if isNumber { text += value.utf8 } else { try Self.addQuoted(value, to: &text) }
            }
            try add("bootID", bootID)
            if let document { try add("document", document) }
            try add("host", host)
            try add("pid", String(pid), isNumber: true)
            try add("program", program)
            try add("since", InternetDate.text(since))
            try add("user", user)
            text += "\n}".utf8
            return text
        }
    }

    private static func addQuoted(_ value: String, to text: inout [UInt8]) throws {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else {
            text += try JSONCoding.encoder.encode(value)
            return
        }
        text.append(UInt8(ascii: "\""))
        text += value.utf8
        text.append(UInt8(ascii: "\""))
    }

    private static let bootIdentifier: String = {
        guard let bytes = try? Disk.read("/proc/sys/kernel/random/boot_id", limit: 100) else { return "" }
        return String(decoding: bytes.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }()

    /// Whether a free kernel lock proves that the holder is gone: it ran on this machine, in the
    /// current boot or an earlier one.
    func isOfThisMachine(_ current: LockHolder) -> Bool {
        // Where /proc is not mounted, the boot is not known.
        (!bootID.isEmpty && bootID == current.bootID) || host == current.host
    }

    /// The lock holder in one line: program, process, user, host, time.
    public var description: String {
        "\(program) (process \(pid) of \(user) on \(host)) since \(InternetDate.text(since))"
    }
}
