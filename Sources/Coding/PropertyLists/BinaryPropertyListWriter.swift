package import Foundation

/// Writes binary property lists. Equal strings, numbers, dates and data are written once, and keys
/// are in code-unit order, so that equal values give equal bytes.
package struct BinaryPropertyListWriter {
    private enum Item {
        case scalar(PropertyListValue)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var items: [Item] = []
    private var scalars: [PropertyListValue: Int] = [:]
    /// Strings by their bytes. Canonically equivalent strings are equal, but must be read back
    /// unchanged.
    private var strings: [[UInt8]: Int] = [:]

    package static func write(_ value: PropertyListValue) -> Data {
        var writer = BinaryPropertyListWriter()
        let top = writer.add(value)
        return Data(writer.encode(top: top).bytes)
    }

    /// Writes a dictionary. Also returns the offsets of the values of its keys, except for values
    /// that are shared.
    static func writeDictionary(_ pairs: [String: PropertyListValue]) -> (bytes: [UInt8], places: [String: Int]) {
        var writer = BinaryPropertyListWriter()
        let top = writer.add(.dictionary(pairs))
        let (bytes, offsets) = writer.encode(top: top)
        var uses = [Int](repeating: 0, count: writer.items.count)
        for item in writer.items {
            switch item {
            case .scalar: break
            case .array(let elements): for element in elements { uses[element] += 1 }
            case .dictionary(let keys, let values): for element in keys + values { uses[element] += 1 }
            }
        }
        var places: [String: Int] = [:]
        if case .dictionary(let keys, let values) = writer.items[top] {
            for (key, value) in zip(keys, values) where uses[value] == 1 {
                if case .scalar(.string(let name)) = writer.items[key] { places[name] = offsets[value] }
            }
        }
        return (bytes, places)
    }

    private mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .array(let elements):
            let place = reserve()
            items[place] = .array(elements.map { add($0) })
            return place
        case .dictionary(let pairs):
            let place = reserve()
            let sorted = pairs.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            scalars.reserveCapacity(scalars.count + 2 * sorted.count)
            let names = sorted.map { add(.string($0.key)) }
            items[place] = .dictionary(keys: names, values: sorted.map { add($0.value) })
            return place
        case .string(let text):
            let bytes = Array(text.utf8)
            if let place = strings[bytes] { return place }
            items.append(.scalar(value))
            strings[bytes] = items.count - 1
            return items.count - 1
        default:
            // -0.0 equals 0.0 but must be kept. NaN is not equal to itself.
            if case .real(let number) = value, number == 0 || number.isNaN {
                items.append(.scalar(value))
                return items.count - 1
            }
            let next = items.count
            let place = Self.entry(&scalars[value, default: next])
            if place == next { items.append(.scalar(value)) }
            return place
        }
    }

    /// Returns an entry that the `inout` access creates if it is missing, with a single dictionary
    /// lookup.
    private static func entry(_ place: inout Int) -> Int { place }

    private mutating func reserve() -> Int {
        items.append(.array([]))
        return items.count - 1
    }

    private func encode(top: Int) -> (bytes: [UInt8], offsets: [Int]) {
        let referenceSize = Self.size(items.count - 1)
        var bytes = Array("bplist00".utf8)
        bytes.reserveCapacity(32 * items.count)
        var offsets: [Int] = []
        offsets.reserveCapacity(items.count)
        for item in items {
            offsets.append(bytes.count)
            switch item {
            case .scalar(let value): Self.append(value, to: &bytes)
            case .array(let elements):
                Self.appendHeader(0xA0, elements.count, to: &bytes)
                for element in elements { Self.appendBigEndian(UInt64(element), referenceSize, to: &bytes) }
            case .dictionary(let keys, let values):
                Self.appendHeader(0xD0, keys.count, to: &bytes)
                for element in keys + values { Self.appendBigEndian(UInt64(element), referenceSize, to: &bytes) }
            }
        }
        let table = bytes.count
        let offsetSize = Self.size(table)
        for offset in offsets { Self.appendBigEndian(UInt64(offset), offsetSize, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for field in [items.count, top, table] { Self.appendBigEndian(UInt64(field), 8, to: &bytes) }
        return (bytes, offsets)
    }

    /// Appends the encoded form of a scalar.
    static func append(_ value: PropertyListValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text):
            var text = text
            let isASCII = text.withUTF8 { utf8 in
                guard utf8.allSatisfy({ $0 < 0x80 }) else { return false }
                appendHeader(0x50, utf8.count, to: &bytes)
                bytes.append(contentsOf: utf8)
                return true
            }
            if isASCII { return }
            appendHeader(0x60, text.utf16.count, to: &bytes)
            for unit in text.utf16 { appendBigEndian(UInt64(unit), 2, to: &bytes) }
        case .integer(let number): appendInteger(number, to: &bytes)
        case .unsigned(let number):
            bytes.append(0x14)
            appendBigEndian(0, 8, to: &bytes)
            appendBigEndian(number, 8, to: &bytes)
        case .real(let number):
            bytes.append(0x23)
            appendBigEndian(number.bitPattern, 8, to: &bytes)
        case .boolean(let flag): bytes.append(flag ? 0x09 : 0x08)
        case .date(let date):
            bytes.append(0x33)
            appendBigEndian(date.timeIntervalSinceReferenceDate.bitPattern, 8, to: &bytes)
        case .data(let data):
            appendHeader(0x40, data.count, to: &bytes)
            bytes.append(contentsOf: data)
        case .uid(let number):
            let size = size(Int(clamping: number))
            bytes.append(0x80 | UInt8(size - 1))
            appendBigEndian(number, size, to: &bytes)
        case .array, .dictionary:
            preconditionFailure("containers are items of their own, see add(_:)")
        }
    }

    private static func appendInteger(_ number: Int64, to bytes: inout [UInt8]) {
        let size = number < 0 ? 8 : size(Int(number))
        bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
        appendBigEndian(UInt64(bitPattern: number), size, to: &bytes)
    }

    private static func appendHeader(_ marker: UInt8, _ count: Int, to bytes: inout [UInt8]) {
        if count < 15 {
            bytes.append(marker | UInt8(count))
        } else {
            bytes.append(marker | 0x0F)
            appendInteger(Int64(count), to: &bytes)
        }
    }

    private static func appendBigEndian(_ value: UInt64, _ size: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// The smallest size of 1, 2, 4 or 8 bytes that can represent `number`.
    private static func size(_ number: Int) -> Int {
        number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
    }
}
