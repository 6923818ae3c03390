package import Foundation

/// Writes XML property lists in the layout of Apple's tools.
package struct XMLPropertyListWriter {
    /// The differences between the layouts of Apple's writers.
    package struct Style: Sendable {
        let unit: String
        /// Whether empty containers are written as one tag.
        let shortensEmpty: Bool
        /// Whether data are written on a line of their own.
        let breaksData: Bool

        /// The layout of property list files.
        package static let file = Style(unit: "\t", shortensEmpty: true, breaksData: false)
        /// The layout inside XML stores.
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

    /// Appends the lines of a value, without the XML prolog and the `plist` element.
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
