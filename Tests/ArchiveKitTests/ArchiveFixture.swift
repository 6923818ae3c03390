import ArchiveKit
import FileSystem
import Foundation

/// Archives made for a test, whole or spoilt.
enum ArchiveFixture {
    static func write(_ parts: [ArchivePart], to path: String) throws {
        let file = try File(path, .create())
        defer { file.close() }
        try ArchiveWriter.write(parts, to: file)
    }

    static func bytes(_ parts: [(String, [UInt8])], in folder: URL) throws -> [UInt8] {
        let path = folder.path + "/fixture-\(UUID().uuidString).zip"
        try write(parts.map { ArchivePart(name: $0.0, content: .bytes($0.1), isStored: true) }, to: path)
        return try Disk.read(path, limit: 1 << 30)
    }

    static func reader(_ bytes: [UInt8], in folder: URL, limits: ArchiveLimits = ArchiveLimits()) throws
        -> ArchiveReader
    {
        let path = folder.path + "/spoilt-\(UUID().uuidString).zip"
        try Disk.replaceFile(path, with: bytes)
        return try ArchiveReader(File(path), limits: limits)
    }

    /// What opening and unpacking these bytes is refused with; nil where it works. Nothing may be
    /// left of what is refused.
    static func refusal(_ bytes: [UInt8], in folder: URL, limits: ArchiveLimits = ArchiveLimits()) throws
        -> ArchiveError?
    {
        let target = folder.path + "/out-\(UUID().uuidString)"
        do {
            try reader(bytes, in: folder, limits: limits).extract(to: target)
            return nil
        } catch let error as ArchiveError {
            let isLeft = try Disk.exists(target)
            precondition(!isLeft, "something is left")
            return error
        }
    }

    /// Where a run of bytes stands, the `skipping`-th time.
    static func place(of run: some Collection<UInt8>, in bytes: [UInt8], skipping: Int = 0) -> Int {
        var left = skipping
        for start in 0...(bytes.count - run.count) where bytes[start..<start + run.count].elementsEqual(run) {
            if left == 0 { return start }
            left -= 1
        }
        preconditionFailure("not there")
    }

    /// `bytes` with every occurrence of a name replaced by one of the same length.
    static func renaming(_ old: String, to new: [UInt8], in bytes: [UInt8], onlyFirst: Bool = false) -> [UInt8] {
        var bytes = bytes
        let run = Array(old.utf8)
        precondition(run.count == new.count)
        var start = 0
        while start + run.count <= bytes.count {
            if bytes[start..<start + run.count].elementsEqual(run) {
                bytes.replaceSubrange(start..<start + run.count, with: new)
                if onlyFirst { return bytes }
                start += run.count
            } else {
                start += 1
            }
        }
        return bytes
    }

    static let localHeader: [UInt8] = [0x50, 0x4b, 3, 4]
    static let centralHeader: [UInt8] = [0x50, 0x4b, 1, 2]
    static let endRecord: [UInt8] = [0x50, 0x4b, 5, 6]
}
