import Coding
import Storage

/// Reads little-endian numbers and bytes in sequence, and never reads beyond the end.
///
/// The bytes belong to the creator of the reader, which uses it only within the closure that lends
/// them. Every access uses `take`, which checks the bounds.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var left: Int { bytes.count - place }

    /// The next `count` bytes.
    mutating func take(_ count: Int) throws(StorageError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= left else {
            throw StorageError(.damaged, "The store is damaged: a part of it ends too early")
        }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(StorageError) -> Number {
        try take(MemoryLayout<Number>.size).littleEndian(at: 0)
    }

    /// A number of items, each of which needs at least `size` bytes here.
    mutating func count<Number: FixedWidthInteger>(_ type: Number.Type, size: Int) throws(StorageError) -> Int {
        let number = try number(type)
        guard let count = Int(exactly: number), count >= 0, count <= left / max(size, 1) else {
            throw StorageError(.damaged, "The store is damaged: it promises more than it holds")
        }
        return count
    }

    /// `count` contiguous numbers.
    mutating func numbers<Number: FixedWidthInteger>(_ type: Number.Type, count: Int) throws(StorageError)
        -> NumberList<Number>
    {
        guard count >= 0, count <= left / MemoryLayout<Number>.size else {
            throw StorageError(.damaged, "The store is damaged: it promises more than it holds")
        }
        return NumberList(bytes: try take(count * MemoryLayout<Number>.size), count: count)
    }

    mutating func text() throws(StorageError) -> String {
        let count = try count(UInt32.self, size: 1)
        return String(decoding: try take(count), as: UTF8.self)
    }
}

/// Contiguous numbers in a file. Valid as long as the reader that returned it.
struct NumberList<Number: FixedWidthInteger> {
    fileprivate let bytes: UnsafeRawBufferPointer
    let count: Int

    subscript(index: Int) -> Number {
        // `bytes` contains exactly `count` numbers.
        precondition(index >= 0 && index < count)
        return bytes.littleEndian(at: index * MemoryLayout<Number>.size)
    }
}
