import Folio
import Foundation

/// The part of a file that is being looked at. What lies before `position` was read already.
struct ByteWindow {
    private let source: ImportBytes
    private(set) var bytes: [UInt8] = []
    private(set) var end = 0
    var position = 0
    /// How much of the file was read.
    private(set) var offset: Int64 = 0

    init(_ source: ImportBytes) throws {
        self.source = source
        bytes = [UInt8](repeating: 0, count: 1 << 16)
        // The mark that some programs put before UTF-8 text.
        while end < 3, try refill() {}
        if end >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    }

    /// Reads more, and keeps what lies between `position` and `end`: `position` is 0 then.
    /// - Returns: whether there was more.
    mutating func refill() throws -> Bool {
        let kept = end - position
        if position > 0, kept > 0 {
            bytes.withUnsafeMutableBytes { buffer in
                guard let base = buffer.baseAddress else { return }
                memmove(base, base + position, kept)
            }
        }
        position = 0
        end = kept
        if end == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
        let count = try source.read(into: &bytes, at: end, offset: offset)
        offset += Int64(count)
        end += count
        return count > 0
    }

    /// The next byte, which stays; nil at the end.
    mutating func peek() throws -> UInt8? {
        if position == end, try !refill() { return nil }
        return bytes[position]
    }

    /// The byte after the next one.
    mutating func peekSecond() throws -> UInt8? {
        while position + 1 >= end { if try !refill() { return nil } }
        return bytes[position + 1]
    }
}
