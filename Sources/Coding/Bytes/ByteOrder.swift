// Reading and writing numbers with a fixed byte order. The functions are inlinable so that they are
// specialized for the number type.

extension UnsafeRawBufferPointer {
    /// The big-endian number whose first byte is at `offset`.
    @inlinable package func bigEndian<Number: FixedWidthInteger>(at offset: Int, as _: Number.Type = Number.self)
        -> Number
    {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// The little-endian number whose first byte is at `offset`.
    @inlinable package func littleEndian<Number: FixedWidthInteger>(at offset: Int, as _: Number.Type = Number.self)
        -> Number
    {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

extension [UInt8] {
    /// The big-endian number whose first byte is at `offset`.
    @inlinable package func bigEndian<Number: FixedWidthInteger>(at offset: Int, as _: Number.Type = Number.self)
        -> Number
    {
        withUnsafeBytes { $0.bigEndian(at: offset) }
    }

    /// The little-endian number whose first byte is at `offset`.
    @inlinable package func littleEndian<Number: FixedWidthInteger>(at offset: Int, as _: Number.Type = Number.self)
        -> Number
    {
        withUnsafeBytes { $0.littleEndian(at: offset) }
    }

    /// Appends a number, little-endian.
    @inlinable package mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
