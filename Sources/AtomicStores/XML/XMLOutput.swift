import Foundation

/// Bytes that are put one behind the other, given away now and then, and their memory used again.
///
/// Invariants:
/// 1. The first `count` of `capacity` bytes are initialised.
/// 2. Whatever is put has room made for it first.
struct XMLOutput: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    deinit { memory.deallocate() }

    /// What was put. Good until more is.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    mutating func removeAll() { count = 0 }

    mutating func removeLast() {
        precondition(count > 0, "There is a last byte")
        count -= 1
    }

    @inline(__always) mutating func put(_ byte: UInt8) {
        makeRoom(1)
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always) mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        makeRoom(bytes.count)
        (memory + count).copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always) mutating func put(_ text: StaticString) { put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }

    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// How many bytes behind a range of them are looked at, though not put: memory is copied by so many at once, which takes less than a call.
    static let step = 16

    /// Puts some of `bytes`, behind which others follow.
    @inline(__always) mutating func put(_ range: Range<Int>, of bytes: [UInt8]) {
        precondition(range.upperBound + Self.step <= bytes.count, "There are bytes behind those that are put")
        makeRoom(range.count + Self.step)
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < range.count {
                memory.storeBytes(
                    of: bytes.loadUnaligned(fromByteOffset: range.lowerBound + place, as: SIMD16<UInt8>.self), toByteOffset: count + place, as: SIMD16<UInt8>.self)
                place += Self.step
            }
        }
        count += range.count
    }

    /// Lets `write` put at most `most` bytes and say how many there are.
    @inline(__always) mutating func put(atMost most: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
        makeRoom(most)
        let written = write(UnsafeMutableRawBufferPointer(start: memory + count, count: most))
        precondition(written >= 0 && written <= most, "No more is put than there is room for")
        count += written
    }

    /// Puts a text whose every character stands for itself, as far as bytes tell it; nothing, and answers false, for others.
    mutating func putPlain(_ text: inout String) -> Bool {
        text.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            guard Self.isPlain(text) else { return false }
            put(text)
            return true
        }
    }

    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place + 8 <= text.count {
            guard isPlain(text.loadUnaligned(fromByteOffset: place, as: UInt64.self)) else { return false }
            place += 8
        }
        while place < text.count {
            let byte = text[place]
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "<"), byte != UInt8(ascii: ">"), byte != UInt8(ascii: "&") else { return false }
            place += 1
        }
        return true
    }

    /// The same for eight bytes: the highest bit of each says whether there is something about it. One that has nothing may be blamed for the one before, never the other way round.
    private static func isPlain(_ word: UInt64) -> Bool {
        func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
        func finds(_ byte: UInt8) -> UInt64 {
            let rest = word ^ all(byte)
            return (rest &- all(1)) & ~rest
        }
        let isSpecial = finds(UInt8(ascii: "<")) | finds(UInt8(ascii: ">")) | finds(UInt8(ascii: "&")) | finds(0x7F)
        return (word | (word &- all(0x20)) | isSpecial) & all(0x80) == 0
    }

    @inline(__always) private mutating func makeRoom(_ more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    @inline(never) private mutating func grow(by more: Int) {
        let newCapacity = max(2 * capacity, count + more)
        let new = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        new.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        (memory, capacity) = (new, newCapacity)
    }
}
