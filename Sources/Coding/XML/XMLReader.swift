package import Foundation

/// Parses XML as a sequence of events: elements, attributes, text. Only the five predefined
/// entities are known. A document type is skipped, and one with an internal subset is rejected, so
/// a file can't trigger external access or entity expansion.
///
/// ```swift
/// var reader = try XMLReader(data)
/// while let event = try reader.next() { … }
/// ```
///
/// Only UTF-8 is supported, which all Core Data tools write; other encodings are
/// `CodingError.unsupported`. Takes linear time in one pass.
package struct XMLReader {
    package enum Event: Equatable, Sendable {
        case start(name: String, attributes: [XMLAttribute])
        case end(name: String)
        /// Characters between tags. Comments and CDATA sections may split a text into several
        /// events.
        case text(String)
    }

    /// The limits for parsing a document.
    package struct Limits: Sendable {
        package var bytes: Int
        package var depth: Int

        package init(bytes: Int = 64 << 20, depth: Int = 256) {
            self.bytes = bytes
            self.depth = depth
        }
    }

    private let bytes: [UInt8]
    private let limits: Limits
    private var place = 0
    private var open: [String] = []
    private var pendingEnd: String?
    private var sawRoot = false

    package init(_ data: Data, limits: Limits = Limits()) throws(CodingError) {
        try self.init([UInt8](data), limits: limits)
    }

    package init(_ bytes: [UInt8], limits: Limits = Limits()) throws(CodingError) {
        guard bytes.count <= limits.bytes else {
            throw CodingError(.tooLarge, "the XML document has \(bytes.count) bytes, the limit is \(limits.bytes)")
        }
        var bytes = bytes
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw CodingError(.unsupported, "the XML document is not UTF-8", offset: 0)
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard (try? UTF8Span(validating: bytes.span)) != nil else {
            throw CodingError(.malformed, "the XML document is no valid UTF-8")
        }
        self.bytes = bytes
        self.limits = limits
    }

    /// The line of the current position, starting at 1. Takes time linear in the number of bytes
    /// read.
    package var line: Int {
        bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1
    }

    /// The next event; nil at the end of a complete document.
    package mutating func next() throws(CodingError) -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            open.removeLast()
            return .end(name: name)
        }
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else {
                if let text = try text() { return .text(text) }
                continue
            }
            let isPlainTag =
                place + 1 < bytes.count && bytes[place + 1] != UInt8(ascii: "!")
                && bytes[place + 1] != UInt8(ascii: "?")
            if isPlainTag { return bytes[place + 1] == UInt8(ascii: "/") ? try endTag() : try startTag() }
            if starts("<!--") {
                try skip("<!--", through: "-->")
            } else if starts("<?") {
                try instruction()
            } else if starts("<![CDATA[") {
                return .text(try section())
            } else if starts("<!DOCTYPE") {
                try documentType()
            } else if starts("<!") {
                throw error("a declaration that is not allowed here")
            } else {
                return try startTag()
            }
        }
        guard open.isEmpty else {
            throw CodingError(.truncated, "the element “\(open.last ?? "")” is not closed", offset: place)
        }
        guard sawRoot else { throw CodingError(.truncated, "no XML element", offset: place) }
        return nil
    }

    // MARK: Tags

    private mutating func startTag() throws(CodingError) -> Event {
        guard !open.isEmpty || !sawRoot else { throw error("a second root element") }
        let start = place
        place += 1
        let name = try name()
        var attributes: [XMLAttribute] = []
        while true {
            let spaced = skipSpace()
            guard place < bytes.count else { throw CodingError(.truncated, "a tag is not closed", offset: start) }
            if starts("/>") {
                place += 2
                pendingEnd = name
                break
            }
            if bytes[place] == UInt8(ascii: ">") {
                place += 1
                break
            }
            guard spaced else { throw error("no space before an attribute") }
            let attribute = try attribute()
            guard !attributes.contains(where: { $0.name == attribute.name }) else {
                throw error("the attribute “\(attribute.name)” occurs twice")
            }
            // Elements of the supported formats have at most about thirty attributes. The limit
            // bounds the quadratic cost of the comparison.
            guard attributes.count < 128 else { throw CodingError(.tooMany, "more than 128 attributes", offset: start) }
            attributes.append(attribute)
        }
        guard open.count < limits.depth else {
            throw CodingError(.tooDeep, "more than \(limits.depth) levels of elements", offset: start)
        }
        open.append(name)
        sawRoot = true
        return .start(name: name, attributes: attributes)
    }

    private mutating func endTag() throws(CodingError) -> Event {
        place += 2
        let name = try name()
        skipSpace()
        guard place < bytes.count, bytes[place] == UInt8(ascii: ">") else { throw error("a closing tag is not closed") }
        guard open.last == name else { throw error("“\(name)” is closed where “\(open.last ?? "nothing")” is open") }
        place += 1
        open.removeLast()
        return .end(name: name)
    }

    private mutating func attribute() throws(CodingError) -> XMLAttribute {
        let name = try name()
        skipSpace()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else {
            throw error("the attribute “\(name)” has no value")
        }
        place += 1
        skipSpace()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") else {
            throw error("the value of “\(name)” is not quoted")
        }
        let quote = bytes[place]
        place += 1
        if let plain = plainValue(until: quote) { return XMLAttribute(name: name, value: plain) }
        var value: [UInt8] = []
        while place < bytes.count, bytes[place] != quote {
            switch bytes[place] {
            case UInt8(ascii: "<"): throw error("“<” inside a value")
            case UInt8(ascii: "&"): value += Array(try reference().utf8)
            case UInt8(ascii: "\r") where place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "\n"): place += 1
            case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                value.append(UInt8(ascii: " "))
                place += 1
            default:
                value.append(bytes[place])
                place += 1
            }
        }
        guard place < bytes.count else {
            throw CodingError(.truncated, "the value of “\(name)” is not closed", offset: place)
        }
        place += 1
        return XMLAttribute(name: name, value: String(decoding: value, as: UTF8.self))
    }

    /// Reads a value without characters that need replacement, which is the usual case. Returns nil
    /// if there are such characters or the value is invalid.
    private mutating func plainValue(until quote: UInt8) -> String? {
        var end = place
        while end < bytes.count, bytes[end] != quote {
            switch bytes[end] {
            case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                return nil
            default: end += 1
            }
        }
        guard end < bytes.count else { return nil }
        defer { place = end + 1 }
        return String(decoding: bytes[place..<end], as: UTF8.self)
    }

    private mutating func name() throws(CodingError) -> String {
        let start = place
        loop: while place < bytes.count {
            switch bytes[place] {
            case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="),
                UInt8(ascii: "&"),
                UInt8(ascii: "\""), UInt8(ascii: "'"):
                break loop
            default: place += 1
            }
        }
        guard place > start else { throw error("a name is missing") }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    // MARK: Text

    private mutating func text() throws(CodingError) -> String? {
        var result: [UInt8] = []
        let start = place
        if !open.isEmpty, let plain = plainText() { return plain }
        while place < bytes.count, bytes[place] != UInt8(ascii: "<") {
            switch bytes[place] {
            case UInt8(ascii: "&"): result += Array(try reference().utf8)
            case UInt8(ascii: "\r"):
                result.append(UInt8(ascii: "\n"))
                place += place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "\n") ? 2 : 1
            default:
                result.append(bytes[place])
                place += 1
            }
        }
        if open.isEmpty {
            guard result.allSatisfy({ $0 <= 0x20 }) else {
                throw CodingError(.malformed, "text outside the root element", offset: start)
            }
            return nil
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads the text up to the next tag if no characters need replacement, which is the usual
    /// case. Returns nil otherwise.
    private mutating func plainText() -> String? {
        let start = place
        let found: (end: Int, text: String)? = bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return nil }
            let left = all.count - start
            func position(of byte: Character, in count: Int) -> Int? {
                memchr(base + start, Int32(byte.asciiValue ?? 0), count).map { UnsafeRawPointer($0) - (base + start) }
            }
            let count = position(of: "<", in: left) ?? left
            guard position(of: "&", in: count) == nil, position(of: "\r", in: count) == nil else { return nil }
            return (
                start + count,
                String(decoding: UnsafeRawBufferPointer(rebasing: all[start..<start + count]), as: UTF8.self)
            )
        }
        guard let found else { return nil }
        place = found.end
        return found.text
    }

    private mutating func section() throws(CodingError) -> String {
        guard !open.isEmpty else { throw error("text outside the root element") }
        let start = place + 9
        try skip("<![CDATA[", through: "]]>")
        return String(decoding: bytes[start..<place - 3], as: UTF8.self)
    }

    private mutating func reference() throws(CodingError) -> String {
        guard let end = bytes[place..<min(place + 12, bytes.count)].firstIndex(of: UInt8(ascii: ";")) else {
            throw error("“&” without an entity")
        }
        let name = String(decoding: bytes[place + 1..<end], as: UTF8.self)
        defer { place = end + 1 }
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let digits =
                name.hasPrefix("#x")
                ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
            guard let code = digits, let scalar = Unicode.Scalar(code),
                code >= 0x20 || code == 9 || code == 10 || code == 13
            else {
                throw error("the entity “&\(name);” is not known")
            }
            return String(Character(scalar))
        }
    }

    // MARK: Other parts

    private mutating func instruction() throws(CodingError) {
        let start = place
        try skip("<?", through: "?>")
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        guard text.hasPrefix("<?xml "), let encoding = text.range(of: "encoding=", options: .literal) else { return }
        let name = text[encoding.upperBound...].dropFirst().prefix { $0 != "\"" && $0 != "'" }.lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
            throw CodingError(.unsupported, "the encoding “\(name)” is not read, only UTF-8", offset: start)
        }
    }

    private mutating func documentType() throws(CodingError) {
        guard !sawRoot else { throw error("a document type after the root element") }
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
            guard bytes[place] != UInt8(ascii: "[") else {
                throw CodingError(
                    .unsupported, "a document type with declarations of its own is refused", offset: start)
            }
            place += 1
        }
        guard place < bytes.count else {
            throw CodingError(.truncated, "the document type is not closed", offset: start)
        }
        place += 1
    }

    private mutating func skip(_ opening: String, through closing: String) throws(CodingError) {
        let start = place, last = Array(closing.utf8)
        place += opening.utf8.count
        while place + last.count <= bytes.count {
            if bytes[place] == last[0], bytes[place..<place + last.count].elementsEqual(last) {
                place += last.count
                return
            }
            place += 1
        }
        throw CodingError(.truncated, "“\(opening)” is not closed", offset: start)
    }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard place + count <= bytes.count else { return false }
        return text.withUTF8Buffer { $0.elementsEqual(bytes[place..<place + count]) }
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = place
        while place < bytes.count {
            switch bytes[place] {
            case 0x20, 0x09, 0x0A, 0x0D: place += 1
            default: return place > start
            }
        }
        return place > start
    }

    private func error(_ message: String) -> CodingError {
        CodingError(.malformed, "\(message) (line \(line))", offset: place)
    }
}
