/// Puts numbers and bytes one after the other, little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    mutating func put(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Puts `count` numbers side by side.
    mutating func put<Number: FixedWidthInteger>(count: Int, _ number: (Int) -> Number) {
        let size = MemoryLayout<Number>.size, start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: count * size))
        bytes.withUnsafeMutableBytes { raw in
            // Exactly `count` numbers fit behind what was there.
            for index in 0..<count {
                raw.storeBytes(of: number(index).littleEndian, toByteOffset: start + index * size, as: Number.self)
            }
        }
    }

    /// Puts a number in the place of one that was put before.
    mutating func replace(at place: Int, with number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { new in
            bytes.withUnsafeMutableBytes { $0[place..<place + new.count].copyBytes(from: new) }
        }
    }

    mutating func put(_ raw: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: raw) }

    mutating func put(_ raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    mutating func put(text: String) {
        let utf8 = text.utf8
        put(UInt32(truncatingIfNeeded: utf8.count))
        bytes.append(contentsOf: utf8)
    }
}
