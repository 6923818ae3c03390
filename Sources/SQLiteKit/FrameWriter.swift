internal import CSQLite

/// Writes each frame of a WAL in one call: SQLite hands over its header and its page one after the other, and to tell the system of both costs as much again as to tell it of one.
///
/// Invariants:
/// 1. Only the header of a frame behind all others that this connection wrote is held back: with the very next call SQLite hands over its page. Headers of earlier frames, which it
///    writes anew where a transaction has written one of its pages twice, go out as they come.
/// 2. Whatever else the file is asked first, the header that is held goes out before it.
package struct FrameWriter {
    package typealias Write = (UnsafeRawPointer, Int, Int64) -> Int32

    /// Room for a header and its page.
    private var room: UnsafeMutableRawBufferPointer?
    /// Where the header is to stand that is in `room`; nil where none is held.
    private var held: Int64?
    /// Behind the last frame that was written.
    private var end: Int64 = 0

    private static let headerSize = WriteAheadLog.frameHeaderSize

    package init() {}

    /// Takes what SQLite writes, and writes it with `write` as soon as it is a frame or can't be one.
    package mutating func write(_ bytes: UnsafeRawPointer, _ count: Int, at offset: Int64, _ write: Write) -> Int32 {
        if let start = held, offset == start + Int64(Self.headerSize), count > Self.headerSize, let room = makeRoom(for: count) {
            held = nil
            (room + Self.headerSize).copyMemory(from: bytes, byteCount: count)
            let result = write(room, Self.headerSize + count, start)
            if result == SQLITE_OK { end = max(end, offset + Int64(count)) }
            return result
        }
        let result = settle(write)
        guard result == SQLITE_OK else { return result }
        if offset == 0 { end = 0 }
        if count == Self.headerSize, offset >= max(end, Int64(WriteAheadLog.headerSize)), let room = makeRoom(for: 0) {
            room.copyMemory(from: bytes, byteCount: count)
            held = offset
            return SQLITE_OK
        }
        return write(bytes, count, offset)
    }

    /// Writes a header that is held.
    package mutating func settle(_ write: Write) -> Int32 {
        guard let start = held, let header = room?.baseAddress else { return SQLITE_OK }
        held = nil
        return write(header, Self.headerSize, start)
    }

    /// Writes of a frame, whose page comes now, no more than its header and some bytes, as a disk does that is full.
    package mutating func writePart(_ bytes: UnsafeRawPointer, _ count: Int, at offset: Int64, _ write: Write) {
        if settle(write) == SQLITE_OK { _ = write(bytes, count, offset) }
    }

    /// Gives up a header whose page does not come.
    package mutating func forget() { held = nil }

    /// The file is closed.
    package mutating func close() {
        held = nil
        room?.deallocate()
        room = nil
    }

    private mutating func makeRoom(for count: Int) -> UnsafeMutableRawPointer? {
        let size = Self.headerSize + count
        if let room, room.count >= size { return room.baseAddress }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, Self.headerSize + Self.commonPage), alignment: 16)
        if let room {
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[..<Self.headerSize]))
            room.deallocate()
        }
        room = larger
        return larger.baseAddress
    }

    private static let commonPage = 4_096
}
