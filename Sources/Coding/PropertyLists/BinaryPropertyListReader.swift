package import Foundation

/// Parses binary property lists of any origin.
///
/// Invariants:
/// 1. Every object is decoded at most once, so the time is limited by the size of the file. The
///    encoded sizes of all decoded objects together may not exceed the size of the file, which is
///    true if and only if they do not overlap.
/// 2. Containers are decoded with an explicit stack. Its height, and the height of the resulting
///    value, are limited by `limits.depth`, so the value can be traversed recursively.
/// 3. Memory is allocated for decoded objects, not for the number of objects in the trailer. An
///    object that is not reached costs four bytes, and the number of objects is limited by the
///    number of bytes at which they can begin.
/// 4. The resulting value, traversed as a tree, has at most `limits.objects` nodes.
package struct BinaryPropertyListReader {
    /// The state of an object. When it is decoded, its value is in `values`.
    private struct State: Equatable {
        private let number: Int32
        private init(_ number: Int32) { self.number = number }
        static let untouched = State(-1)
        static let open = State(-2)
        static func done(_ place: Int) -> State { State(Int32(truncatingIfNeeded: place)) }
        /// The index of the object in `values`.
        var place: Int? { number >= 0 ? Int(number) : nil }
    }

    private struct Frame {
        let index: Int
        let keys: [Int]?
        let elements: [Int]
        var next = 0
    }

    private struct Finished {
        let value: PropertyListValue
        let height: Int
        let nodes: Int
    }

    private let bytes: [UInt8]
    private let limits: PropertyListLimits
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let tableOffset: Int
    private let top: Int
    private var states: [State]
    private var values: [Finished] = []
    private var consumed = 0

    package static func read(_ data: Data, limits: PropertyListLimits = .standard) throws(CodingError)
        -> PropertyListValue
    {
        var reader = try BinaryPropertyListReader(data, limits: limits)
        return try reader.readTop()
    }

    private init(_ data: Data, limits: PropertyListLimits) throws(CodingError) {
        guard data.count <= limits.bytes else {
            throw CodingError(.tooLarge, "the property list has \(data.count) bytes, the limit is \(limits.bytes)")
        }
        let bytes = [UInt8](data)
        guard bytes.count >= 40 else {
            throw CodingError(.truncated, "a binary property list has at least 40 bytes", offset: bytes.count)
        }
        guard bytes.starts(with: Array("bplist0".utf8)) else {
            throw CodingError(.malformed, "no binary property list", offset: 0)
        }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6]), referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw CodingError(.malformed, "the sizes in the trailer make no sense", offset: trailer + 6)
        }
        func field(_ start: Int) throws(CodingError) -> Int {
            var value: UInt64 = 0
            for byte in bytes[start..<start + 8] { value = value << 8 | UInt64(byte) }
            guard value <= UInt64(bytes.count) else {
                throw CodingError(.malformed, "the trailer points outside the file", offset: start)
            }
            return Int(value)
        }
        let count = try field(trailer + 8), top = try field(trailer + 16), table = try field(trailer + 24)
        guard count > 0, top < count, table >= 8, table <= trailer, count <= (trailer - table) / offsetSize else {
            throw CodingError(.malformed, "the table of offsets does not fit the file", offset: trailer + 8)
        }
        let places = offsetSize < 4 ? min(table - 8, 1 << (8 * offsetSize)) : table - 8
        guard count <= places else {
            throw CodingError(.malformed, "more objects than the file has places for", offset: trailer + 8)
        }
        guard count <= min(limits.objects, Int(Int32.max)) else {
            throw CodingError(
                .tooMany, "the property list has \(count) objects, the limit is \(limits.objects)", offset: trailer + 8)
        }
        self.bytes = bytes
        self.limits = limits
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
        self.count = count
        self.tableOffset = table
        self.top = top
        states = Array(repeating: .untouched, count: count)
    }

    private mutating func readTop() throws(CodingError) -> PropertyListValue {
        var stack: [Frame] = []
        if let frame = try begin(top) { stack.append(frame) }
        while let last = stack.indices.last {
            let frame = stack[last]
            guard frame.next < frame.elements.count else {
                try close(frame)
                stack.removeLast()
                continue
            }
            let child = frame.elements[frame.next]
            stack[last].next += 1
            if states[child] == .open {
                throw CodingError(.cyclic, "a container holds itself", offset: try offset(of: child))
            }
            guard states[child] == .untouched, let inner = try begin(child) else { continue }
            guard stack.count < limits.depth else {
                throw CodingError(.tooDeep, "more than \(limits.depth) levels", offset: try offset(of: child))
            }
            stack.append(inner)
        }
        guard let result = finished(top) else { throw CodingError(.malformed, "no top object") }
        return result.value
    }

    private func finished(_ index: Int) -> Finished? { states[index].place.map { values[$0] } }

    private mutating func finish(_ index: Int, _ value: Finished) {
        states[index] = .done(values.count)
        values.append(value)
    }

    /// Creates the value of a container whose elements are all decoded.
    private mutating func close(_ frame: Frame) throws(CodingError) {
        var height = 1, nodes = 1
        var values: [PropertyListValue] = []
        values.reserveCapacity(frame.elements.count)
        for element in frame.elements {
            guard let child = finished(element) else { throw CodingError(.malformed, "an element was not decoded") }
            height = max(height, child.height + 1)
            nodes += child.nodes
            guard nodes <= limits.objects else {
                throw CodingError(
                    .tooMany, "more than \(limits.objects) objects when walked as a tree",
                    offset: try offset(of: frame.index))
            }
            values.append(child.value)
        }
        guard height <= limits.depth else {
            throw CodingError(.tooDeep, "more than \(limits.depth) levels", offset: try offset(of: frame.index))
        }
        let value: PropertyListValue
        if let keys = frame.keys {
            var pairs: [String: PropertyListValue] = Dictionary(minimumCapacity: keys.count)
            for (key, element) in zip(keys, values) {
                let name = try name(ofKey: key)
                guard pairs.updateValue(element, forKey: name) == nil else {
                    throw CodingError(
                        .malformed, "the key “\(name.prefix(80))” occurs twice in a dictionary",
                        offset: try offset(of: frame.index))
                }
            }
            value = .dictionary(pairs)
        } else {
            value = .array(values)
        }
        finish(frame.index, Finished(value: value, height: height, nodes: nodes))
    }

    private mutating func name(ofKey index: Int) throws(CodingError) -> String {
        if states[index] == .untouched, try begin(index) != nil {
            throw CodingError(.malformed, "a key of a dictionary is a container", offset: try offset(of: index))
        }
        guard case .string(let name) = finished(index)?.value else {
            throw CodingError(.malformed, "a key of a dictionary is no string", offset: try offset(of: index))
        }
        return name
    }

    /// Decodes a simple object, or returns the frame of a container.
    private mutating func begin(_ index: Int) throws(CodingError) -> Frame? {
        let start = try offset(of: index)
        let marker = bytes[start], low = Int(marker & 0x0F)
        let value: PropertyListValue
        switch marker >> 4 {
        case 0x0:
            guard low == 8 || low == 9 else { throw unknown(marker, start) }
            try consume(1, start)
            value = .boolean(low == 9)
        case 0x1: value = try integer(at: start, exponent: low)
        case 0x2: value = .real(try real(at: start, exponent: low))
        case 0x3:
            guard low == 3 else { throw unknown(marker, start) }
            value = .date(Date(timeIntervalSinceReferenceDate: try real(at: start, exponent: low)))
        case 0x4:
            let body = try body(at: start, unit: 1)
            value = .data(Data(bytes[body]))
        case 0x5:
            let body = try body(at: start, unit: 1)
            guard bytes[body].allSatisfy({ $0 < 0x80 }) else {
                throw CodingError(.malformed, "an ASCII string with other bytes", offset: start)
            }
            value = .string(String(decoding: bytes[body], as: UTF8.self))
        case 0x6:
            let body = try body(at: start, unit: 2)
            let units = stride(from: body.lowerBound, to: body.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            value = .string(String(decoding: units, as: UTF16.self))
        case 0x8:
            guard low < 8 else { throw unknown(marker, start) }
            try consume(low + 2, start)
            value = .uid(unsigned(start + 1, low + 1))
        case 0xA, 0xC:
            let body = try body(at: start, unit: referenceSize)
            states[index] = .open
            return Frame(index: index, keys: nil, elements: try references(body))
        case 0xD:
            let body = try body(at: start, unit: 2 * referenceSize)
            let middle = body.lowerBound + body.count / 2
            states[index] = .open
            return Frame(
                index: index, keys: try references(body.lowerBound..<middle),
                elements: try references(middle..<body.upperBound))
        default: throw unknown(marker, start)
        }
        finish(index, Finished(value: value, height: 0, nodes: 1))
        return nil
    }

    private func unknown(_ marker: UInt8, _ start: Int) -> CodingError {
        CodingError(.malformed, "no object begins with the byte \(Hex.encode([marker]))", offset: start)
    }

    private func unsigned(_ start: Int, _ length: Int) -> UInt64 {
        var value: UInt64 = 0
        for byte in bytes[start..<start + length] { value = value << 8 | UInt64(byte) }
        return value
    }

    private func offset(of index: Int) throws(CodingError) -> Int {
        let entry = tableOffset + index * offsetSize
        let value = unsigned(entry, offsetSize)
        guard value >= 8, value < UInt64(tableOffset) else {
            throw CodingError(.malformed, "an object lies outside the file", offset: entry)
        }
        return Int(value)
    }

    /// Counts `length` bytes from `start` as consumed (invariant 1) and checks that they exist.
    private mutating func consume(_ length: Int, _ start: Int) throws(CodingError) {
        guard length <= tableOffset - start else {
            throw CodingError(.truncated, "an object runs over the end", offset: start)
        }
        consumed += length
        guard consumed <= tableOffset else { throw CodingError(.malformed, "objects overlap", offset: start) }
    }

    private mutating func integer(at start: Int, exponent: Int) throws(CodingError) -> PropertyListValue {
        guard exponent <= 4 else { throw unknown(bytes[start], start) }
        let length = 1 << exponent
        try consume(1 + length, start)
        if length <= 8 {
            let value = unsigned(start + 1, length)
            return .integer(Int64(bitPattern: value))
        }
        let high = unsigned(start + 1, 8), low = unsigned(start + 9, 8)
        if high == 0 { return low <= UInt64(Int64.max) ? .integer(Int64(low)) : .unsigned(low) }
        guard high == .max, Int64(bitPattern: low) < 0 else {
            throw CodingError(.unsupported, "an integer of more than 64 bits", offset: start)
        }
        return .integer(Int64(bitPattern: low))
    }

    private mutating func real(at start: Int, exponent: Int) throws(CodingError) -> Double {
        guard exponent == 2 || exponent == 3 else { throw unknown(bytes[start], start) }
        try consume(1 + (1 << exponent), start)
        if exponent == 2 { return Double(Float(bitPattern: UInt32(unsigned(start + 1, 4)))) }
        return Double(bitPattern: unsigned(start + 1, 8))
    }

    /// The range of bytes after a marker whose length counts units of `unit` bytes.
    private mutating func body(at start: Int, unit: Int) throws(CodingError) -> Range<Int> {
        var length = UInt64(bytes[start] & 0x0F), header = 1
        if length == 15 {
            guard start + 1 < tableOffset, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 0x0F <= 3 else {
                throw CodingError(.malformed, "the length of an object makes no sense", offset: start + 1)
            }
            let size = 1 << Int(bytes[start + 1] & 0x0F)
            header = 2 + size
            guard header <= tableOffset - start else {
                throw CodingError(.truncated, "an object runs over the end", offset: start)
            }
            length = unsigned(start + 2, size)
        }
        guard header <= tableOffset - start, length <= UInt64((tableOffset - start - header) / unit) else {
            throw CodingError(.truncated, "an object runs over the end", offset: start)
        }
        try consume(header + Int(length) * unit, start)
        return start + header..<start + header + Int(length) * unit
    }

    private func references(_ range: Range<Int>) throws(CodingError) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(range.count / referenceSize)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
            let index = unsigned(start, referenceSize)
            guard index < UInt64(count) else {
                throw CodingError(.malformed, "a reference to object \(index) of \(count)", offset: start)
            }
            result.append(Int(index))
        }
        return result
    }
}
