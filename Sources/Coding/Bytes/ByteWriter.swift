/// Writes numbers in little-endian order and bytes into an array.
///
/// The methods are inlinable because the columns of a binary store are written number by number.
@usableFromInline package struct ByteWriter {
    @usableFromInline var storage: [UInt8] = []

    package init() {}

    package var bytes: [UInt8] { storage }

    package mutating func reserve(_ count: Int) { storage.reserveCapacity(storage.count + count) }

    @inlinable package mutating func put(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { storage.append(contentsOf: $0) }
    }

    /// Appends `count` numbers.
    @inlinable package mutating func put<Number: FixedWidthInteger>(count: Int, _ number: (Int) -> Number) {
        let size = MemoryLayout<Number>.size, start = storage.count
        storage.append(contentsOf: repeatElement(0, count: count * size))
        storage.withUnsafeMutableBytes { raw in
            // The appended space has room for exactly `count` numbers.
            for index in 0..<count {
                raw.storeBytes(of: number(index).littleEndian, toByteOffset: start + index * size, as: Number.self)
            }
        }
    }

    /// Replaces a number that was written before.
    @inlinable package mutating func replace(at offset: Int, with number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { new in
            storage.withUnsafeMutableBytes { $0[offset..<offset + new.count].copyBytes(from: new) }
        }
    }

    package mutating func put(_ raw: UnsafeBufferPointer<UInt8>) { storage.append(contentsOf: raw) }

    @inlinable package mutating func put(_ raw: some Sequence<UInt8>) { storage.append(contentsOf: raw) }

    /// Appends the UTF-8 length of a text and its bytes.
    package mutating func put(text: String) {
        let utf8 = text.utf8
        put(UInt32(truncatingIfNeeded: utf8.count))
        storage.append(contentsOf: utf8)
    }
}
