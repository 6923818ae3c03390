import FileSystem
import Storage

/// The write-ahead log of a store that nobody in this process has open, as the file format of SQLite describes it.
package enum WriteAheadLog {
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private static let magic: UInt32 = 0x377f0682
    private static let largestLog = 1 << 40

    /// How many frames of a store's log belong to commits: what would be lost without the log.
    ///
    /// Frames of an older round of the log, and those of a commit that a crash cut short, do not count.
    /// - Throws: `StorageError` where the log can't be read; a log that is none counts as empty, as it does for SQLite.
    /// - Complexity: Reads the log.
    package static func committedFrames(ofStoreAt path: String) throws -> Int {
        do {
            guard let size = try Disk.status(of: path + "-wal")?.size, size > headerSize else { return 0 }
            let file = try File(path + "-wal", .read)
            defer { file.close() }
            return try count(in: file, size: Int(size))
        } catch {
            throw StorageError(error, path: path + "-wal")
        }
    }

    private static func count(in file: File, size: Int) throws -> Int {
        var header = [UInt8](repeating: 0, count: headerSize)
        guard try header.withUnsafeMutableBytes({ try file.read(into: $0, at: 0) }) == headerSize else { return 0 }
        let first = word(header, 0)
        guard first & ~1 == magic else { return 0 }
        var sum = Checksum(isBigEndian: first & 1 == 1)
        sum.add(header[..<24])
        let pageSize = word(header, 8) == 1 ? 65536 : Int(word(header, 8))
        guard sum.first == word(header, 24), sum.second == word(header, 28), pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else { return 0 }
        let salt = Array(header[16..<24])

        var frame = [UInt8](repeating: 0, count: frameHeaderSize + pageSize)
        var committed = 0, index = 0
        var offset = headerSize
        while offset + frame.count <= size {
            guard try frame.withUnsafeMutableBytes({ try file.read(into: $0, at: Int64(offset)) }) == frame.count else { break }
            guard Array(frame[8..<16]) == salt else { break }
            sum.add(frame[..<8])
            sum.add(frame[frameHeaderSize...])
            guard sum.first == word(frame, 16), sum.second == word(frame, 20) else { break }
            index += 1
            // A commit's last frame says how large the database is after it.
            if word(frame, 4) != 0 { committed = index }
            offset += frame.count
        }
        return committed
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    /// The running checksum over everything from the header on.
    private struct Checksum {
        let isBigEndian: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        init(isBigEndian: Bool) {
            self.isBigEndian = isBigEndian
        }

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { buffer in
                for offset in stride(from: 0, to: buffer.count - 7, by: 8) {
                    first &+= number(buffer, offset) &+ second
                    second &+= number(buffer, offset + 4) &+ first
                }
            }
        }

        private func number(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let raw = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: raw) : UInt32(littleEndian: raw)
        }
    }
}
