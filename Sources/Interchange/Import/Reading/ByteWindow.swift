import Folio
import Foundation

/// A buffered window into a file. The bytes before `position` have been consumed.
struct ByteWindow {
    private let source: ImportBytes
    private(set) var bytes: [UInt8] = []
    private(set) var end = 0
    var position = 0
    /// The number of bytes that have been read from the file.
    private(set) var offset: Int64 = 0

    init(_ source: ImportBytes) throws {
        self.source = source
        bytes = [UInt8](repeating: 0, count: 1 << 16)
        // Skips the byte order mark that some programs write before UTF-8 text.
        while end < 3, try refill() {}
        if end >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    }

    /// Reads more bytes. The bytes between `position` and `end` are moved to the beginning, and
    /// `position` becomes 0.
    /// - Returns: Whether there were more bytes.
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

    /// The next byte, without consuming it; nil at the end.
    mutating func peek() throws -> UInt8? {
        if position == end, try !refill() { return nil }
        return bytes[position]
    }

    /// The byte after the next one, without consuming it; nil at the end.
    mutating func peekSecond() throws -> UInt8? {
        while position + 1 >= end { if try !refill() { return nil } }
        return bytes[position + 1]
    }
}
