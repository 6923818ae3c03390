package import Foundation

/// Parses XML property lists with `XMLReader`, which rejects entities and deep nesting before
/// values are created.
package struct XMLPropertyListReader {
    package static func read(_ data: Data, limits: PropertyListLimits = .standard) throws(CodingError)
        -> PropertyListValue
    {
        let tree = try XMLTree.read(
            data, limits: XMLReader.Limits(bytes: limits.bytes, depth: limits.depth + 2), elements: limits.objects)
        return try value(of: tree)
    }

    /// The property list in a `plist` element, or in an element that is itself a value.
    package static func value(of tree: XMLTree) throws(CodingError) -> PropertyListValue {
        guard tree.name == "plist" else { return try simple(tree) }
        guard tree.children.count == 1 else {
            throw CodingError(.malformed, "a property list holds one value, not \(tree.children.count)")
        }
        return try simple(tree.children[0])
    }

    private static func simple(_ element: XMLTree) throws(CodingError) -> PropertyListValue {
        let trimmed = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch element.name {
        case "string": return .string(element.text)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "integer": return try integer(trimmed)
        case "real":
            guard let number = real(trimmed) else { throw malformed(element, trimmed) }
            return .real(number)
        case "date":
            guard let date = InternetDate.date(trimmed) else { throw malformed(element, trimmed) }
            return .date(date)
        case "data":
            guard let data = Data(base64Encoded: element.text.filter { !$0.isWhitespace }) else {
                throw malformed(element, "")
            }
            return .data(data)
        case "array":
            var elements: [PropertyListValue] = []
            for child in element.children { elements.append(try simple(child)) }
            return .array(elements)
        case "dict": return try dictionary(element)
        default: throw CodingError(.malformed, "property lists have no element “\(element.name)”")
        }
    }

    private static func dictionary(_ element: XMLTree) throws(CodingError) -> PropertyListValue {
        var pairs: [String: PropertyListValue] = [:]
        var key: String?
        for child in element.children {
            if child.name == "key" {
                guard key == nil else { throw CodingError(.malformed, "the key “\(key ?? "")” has no value") }
                key = child.text
            } else {
                guard let name = key else { throw CodingError(.malformed, "a value without a key in a dictionary") }
                guard pairs.updateValue(try simple(child), forKey: name) == nil else {
                    throw CodingError(.malformed, "the key “\(name)” occurs twice in a dictionary")
                }
                key = nil
            }
        }
        if let key { throw CodingError(.malformed, "the key “\(key)” has no value") }
        return .dictionary(pairs)
    }

    private static func integer(_ text: String) throws(CodingError) -> PropertyListValue {
        let isHex = text.lowercased().hasPrefix("0x")
        let digits = isHex ? text.dropFirst(2) : text[...]
        if let value = Int64(digits, radix: isHex ? 16 : 10) { return .integer(value) }
        if let value = UInt64(digits, radix: isHex ? 16 : 10) { return .unsigned(value) }
        throw CodingError(.malformed, "“\(text.prefix(40))” is no integer")
    }

    private static func real(_ text: String) -> Double? {
        switch text.lowercased() {
        case "nan": .nan
        case "inf", "+inf", "infinity", "+infinity": .infinity
        case "-inf", "-infinity": -.infinity
        default: Double(text)
        }
    }

    private static func malformed(_ element: XMLTree, _ text: String) -> CodingError {
        CodingError(.malformed, "“\(text.prefix(40))” is no value of type \(element.name)")
    }
}
