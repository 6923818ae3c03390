package import Foundation

/// Writes XML property lists in the form that Apple's tools write.
package struct XMLPropertyListWriter {
    /// What differs from one of Apple's writers to the other.
    package struct Style: Sendable {
        let unit: String
        /// Whether what is empty is one tag.
        let shortensEmpty: Bool
        /// Whether bytes stand on a line of their own.
        let breaksData: Bool

        /// As in files of their own.
        package static let file = Style(unit: "\t", shortensEmpty: true, breaksData: false)
        /// As within an XML store.
        package static let store = Style(unit: "    ", shortensEmpty: false, breaksData: true)
    }

    package static func write(_ value: PropertyListValue) throws(CodingError) -> Data {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">\n
            """
        try append(value, indent: "", .file, to: &text)
        text += "</plist>\n"
        return Data(text.utf8)
    }

    /// Adds the lines of a value, without what stands around it in a file.
    package static func append(_ value: PropertyListValue, indent: String, _ style: Style, to text: inout String)
        throws(CodingError)
    {
        switch value {
        case .string(let string): text += "\(indent)<string>\(try XMLTree.escape(string))</string>\n"
        case .integer(let number): text += "\(indent)<integer>\(number)</integer>\n"
        case .unsigned(let number): text += "\(indent)<integer>\(number)</integer>\n"
        case .real(let number):
            text +=
                "\(indent)<real>\(number.isNaN ? "nan" : number.isInfinite ? (number < 0 ? "-inf" : "inf") : "\(number)")</real>\n"
        case .boolean(let flag): text += "\(indent)<\(flag)/>\n"
        case .date(let date): text += "\(indent)<date>\(InternetDate.text(date))</date>\n"
        case .data(let data):
            let bytes = data.base64EncodedString()
            text +=
                style.breaksData
                ? "\(indent)<data>\n\(indent)\(bytes)\n\(indent)</data>\n" : "\(indent)<data>\(bytes)</data>\n"
        case .array(let elements):
            guard !elements.isEmpty || !style.shortensEmpty else { return text += "\(indent)<array/>\n" }
            text += "\(indent)<array>\n"
            for element in elements { try append(element, indent: indent + style.unit, style, to: &text) }
            text += "\(indent)</array>\n"
        case .dictionary(let pairs):
            guard !pairs.isEmpty || !style.shortensEmpty else { return text += "\(indent)<dict/>\n" }
            text += "\(indent)<dict>\n"
            for (key, element) in pairs.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                text += "\(indent)\(style.unit)<key>\(try XMLTree.escape(key))</key>\n"
                try append(element, indent: indent + style.unit, style, to: &text)
            }
            text += "\(indent)</dict>\n"
        case .uid: throw CodingError(.unsupported, "XML property lists have no references of keyed archives")
        }
    }
}
