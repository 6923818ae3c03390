/// A binary property list of a dictionary that allows overwriting values of the same size in place,
/// at a hundredth of the cost of encoding the list.
///
///     var list = EditablePropertyList(["count": "0001", "saved": .date(.now)])
///     list.exchange("count", for: "0002")     // true: overwritten
///     list.exchange("count", for: "none")     // also true
///     list.exchange("count", for: 3)          // false, and unchanged: create another list
package struct EditablePropertyList: Sendable {
    package private(set) var bytes: [UInt8]
    /// The offsets of the values that are not shared within the list.
    private let places: [String: Int]

    package init(_ pairs: [String: PropertyListValue]) {
        (bytes, places) = BinaryPropertyListWriter.writeDictionary(pairs)
    }

    /// Overwrites the value of a key with a scalar.
    /// - Returns: False, without a change, if the old value has another type or size or is shared.
    package mutating func exchange(_ key: String, for value: PropertyListValue) -> Bool {
        guard let place = places[key] else { return false }
        var new: [UInt8] = []
        switch value {
        case .array, .dictionary: return false
        default: BinaryPropertyListWriter.append(value, to: &new)
        }
        // Type and size are encoded at the beginning. A boolean consists of this byte only.
        let head = Self.headSize(new)
        guard place + new.count <= bytes.count else { return false }
        let isSameKind =
            new.count == 1 && new[0] & 0xFE == 0x08
            ? bytes[place] & 0xFE == 0x08 : bytes[place..<place + head].elementsEqual(new[..<head])
        guard isSameKind else { return false }
        for (offset, byte) in new.enumerated() { bytes[place + offset] = byte }
        return true
    }

    private static func headSize(_ scalar: [UInt8]) -> Int {
        let hasLength = (0x40...0x6F).contains(scalar[0]) && scalar[0] & 0x0F == 0x0F
        return hasLength ? 2 + 1 << (scalar[1] & 0x0F) : 1
    }
}
