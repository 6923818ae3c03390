/// Puts numbers and bytes one after the other, little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    mutating func put(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Puts `count` numbers side by side.
    mutating func put<Number: FixedWidthInteger>(count: Int, _ number: (Int) -> Number) {
        let size = MemoryLayout<Number>.size
        bytes.append(
            contentsOf: [UInt8](unsafeUninitializedCapacity: count * size) { buffer, initialized in
                let raw = UnsafeMutableRawBufferPointer(buffer)
                // Exactly `count` numbers fit, and all of them are written.
                for index in 0..<count { raw.storeBytes(of: number(index).littleEndian, toByteOffset: index * size, as: Number.self) }
                initialized = count * size
            })
    }

    mutating func put(_ raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    mutating func put(text: String) {
        let utf8 = text.utf8
        put(UInt32(truncatingIfNeeded: utf8.count))
        bytes.append(contentsOf: utf8)
    }
}
