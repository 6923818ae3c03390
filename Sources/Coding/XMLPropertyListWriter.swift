package import Foundation

/// Writes XML property lists in the form that Apple's tools write.
package struct XMLPropertyListWriter {
    package static func write(_ value: PropertyListValue) throws(CodingError) -> Data {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">\n
            """
        try append(value, indent: "", to: &text)
        text += "</plist>\n"
        return Data(text.utf8)
    }

    private static func append(_ value: PropertyListValue, indent: String, to text: inout String) throws(CodingError) {
        switch value {
        case .string(let string): text += "\(indent)<string>\(try XMLTree.escape(string))</string>\n"
        case .integer(let number): text += "\(indent)<integer>\(number)</integer>\n"
        case .unsigned(let number): text += "\(indent)<integer>\(number)</integer>\n"
        case .real(let number):
            text += "\(indent)<real>\(number.isNaN ? "nan" : number.isInfinite ? (number < 0 ? "-inf" : "inf") : "\(number)")</real>\n"
        case .boolean(let flag): text += "\(indent)<\(flag)/>\n"
        case .date(let date): text += "\(indent)<date>\(date.formatted(.iso8601))</date>\n"
        case .data(let data): text += "\(indent)<data>\(data.base64EncodedString())</data>\n"
        case .array(let elements):
            guard !elements.isEmpty else { return text += "\(indent)<array/>\n" }
            text += "\(indent)<array>\n"
            for element in elements { try append(element, indent: indent + "\t", to: &text) }
            text += "\(indent)</array>\n"
        case .dictionary(let pairs):
            guard !pairs.isEmpty else { return text += "\(indent)<dict/>\n" }
            text += "\(indent)<dict>\n"
            for (key, element) in pairs.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                text += "\(indent)\t<key>\(try XMLTree.escape(key))</key>\n"
                try append(element, indent: indent + "\t", to: &text)
            }
            text += "\(indent)</dict>\n"
        case .uid: throw CodingError(.unsupported, "XML property lists have no references of keyed archives")
        }
    }
}
