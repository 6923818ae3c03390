package import Foundation

extension XMLTree {
    /// The element as XML text. Children are indented by four spaces, and elements without content
    /// are written as one tag.
    ///
    /// - Throws: `CodingError.unsupported` for a character that XML can't represent (most control
    ///   characters).
    package func write(prolog: String = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#) throws(CodingError)
        -> Data
    {
        var output = prolog + "\n"
        try append(to: &output, indent: 0)
        return Data(output.utf8)
    }

    private func append(to output: inout String, indent: Int) throws(CodingError) {
        let space = String(repeating: "    ", count: indent)
        output += "\(space)<\(name)"
        for attribute in attributes {
            output += " \(attribute.name)=\"\(try Self.escape(attribute.value, isAttribute: true))\""
        }
        if children.isEmpty {
            output += text.isEmpty ? "/>\n" : ">\(try Self.escape(text))</\(name)>\n"
            return
        }
        output += ">\n"
        for child in children { try child.append(to: &output, indent: indent + 1) }
        output += "\(space)</\(name)>\n"
    }

    /// Escapes the characters that have a meaning in XML. In attributes line breaks and tabs are
    /// escaped, too, because parsers normalize them to spaces.
    package static func escape(_ text: String, isAttribute: Bool = false) throws(CodingError) -> String {
        // The UTF-8 bytes of U+FFFE and U+FFFF begin with 0xEF.
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 < 0xEF && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
                && $0 != UInt8(ascii: "\"")
        }
        if isPlain { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where isAttribute: result += "&quot;"
            case "\r": result += "&#13;"
            case "\n" where isAttribute: result += "&#10;"
            case "\t" where isAttribute: result += "&#9;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}":
                throw CodingError(
                    .unsupported, "XML can't hold the character U+\(String(scalar.value, radix: 16, uppercase: true))",
                    object: String(text.prefix(40)))
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
