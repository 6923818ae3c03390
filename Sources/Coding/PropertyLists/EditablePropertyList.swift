/// A binary property list of a dictionary in whose bytes values of the same width are exchanged,
/// which costs a hundredth of writing it anew.
///
///     var list = EditablePropertyList(["count": "0001", "saved": .date(.now)])
///     list.exchange("count", for: "0002")     // true: written over
///     list.exchange("count", for: "none")     // also true
///     list.exchange("count", for: 3)          // false, and nothing is changed: make another list
package struct EditablePropertyList: Sendable {
    package private(set) var bytes: [UInt8]
    /// Where values begin that stand for nothing else in the list.
    private let places: [String: Int]

    package init(_ pairs: [String: PropertyListValue]) {
        (bytes, places) = BinaryPropertyListWriter.writeDictionary(pairs)
    }

    /// Writes a scalar over the value of a key.
    /// - Returns: false, with the list as it was, where the value is of another kind or width, or
    ///   stands for others too.
    package mutating func exchange(_ key: String, for value: PropertyListValue) -> Bool {
        guard let place = places[key] else { return false }
        var new: [UInt8] = []
        switch value {
        case .array, .dictionary: return false
        default: BinaryPropertyListWriter.append(value, to: &new)
        }
        // What tells kind and width stands at the beginning; that of a boolean is the whole.
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
