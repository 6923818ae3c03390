internal import Coding

/// The attributes of an XML element. Attributes that the reader does not take remain, and are kept
/// as extra markup.
struct MarkupFields {
    private(set) var rest: [String: String]

    init(_ element: XMLTree) {
        rest = Dictionary(element.attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func take(_ name: String) -> String? {
        rest.removeValue(forKey: name)
    }

    /// Takes the text of an attribute; nil if it is missing or empty.
    mutating func text(_ name: String) -> String? {
        guard let value = take(name), !value.isEmpty else { return nil }
        return value
    }

    /// Takes a Boolean: YES or NO, in files of some tools true or false. A missing one is `absent`.
    mutating func flag(_ name: String, absent: Bool = false) -> Bool {
        guard let value = take(name) else { return absent }
        return value == "YES" || value == "true" || value == "1"
    }

    mutating func integer(_ name: String) -> Int? {
        guard let value = rest[name], let number = Int(value) else { return nil }
        rest[name] = nil
        return number
    }
}
