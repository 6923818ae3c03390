package import Folio
package import Foundation

/// Formats attribute values as in the export (see `folio help export`). All formatting of numbers,
/// dates and bytes is defined here.
package enum ValueText {
    package static func double(_ value: Double) -> String? {
        value.isFinite ? value.description : nil
    }

    package static func float(_ value: Float) -> String? {
        value.isFinite ? value.description : nil
    }

    /// The strings for NaN and infinities.
    static func notFinite(_ value: Double) -> String {
        value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
    }

    /// Plain notation without trailing zeros.
    package static func decimal(_ value: Decimal) -> String {
        var text = value.description
        guard text.utf8.contains(UInt8(ascii: ".")) else { return text }
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        if text.utf8.last == UInt8(ascii: ".") { text.removeLast() }
        return text
    }

    /// Text for tables; nil for a null value. Bytes are base64.
    package static func plain(_ value: PropertyValue) -> String? {
        switch value {
        case .null: return nil
        case .int(let value): return String(value)
        case .bool(let value): return value ? "true" : "false"
        case .double(let value): return double(value) ?? notFinite(value)
        case .float(let value): return float(value) ?? notFinite(Double(value))
        case .decimal(let value): return decimal(value)
        case .date(let value): return date(value)
        case .string(let value): return value
        case .data(let value): return value.base64EncodedString()
        case .uuid(let value): return value.uuidString
        case .uri(let value): return value.absoluteString
        case .large(let value): return (try? value.data().base64EncodedString()) ?? "missing: " + (value.fileName ?? "")
        case .composite, .list:
            let sink = ByteSink(descriptor: nil)
            var writer = JSONWriter(sink, style: .compact)
            writer.property(value)
            return sink.text
        case .object(let id): return id.description
        }
    }

    /// The text for nil in tables and lines.
    package static let nilMark = "NULL"

    /// Text for a CSV field. A missing file is reported in the field. Any other read error ends the
    /// output, as in JSON.
    package static func field(_ value: PropertyValue) throws -> String? {
        guard case .large(let large) = value else { return plain(value) }
        do {
            return try large.data().base64EncodedString()
        } catch let error as StorageError where error.code == .notFound || large.fileName?.isEmpty == true {
            return plain(value)
        }
    }

    /// Text for a table cell: the number of bytes, short names of objects, comma-separated lists,
    /// and a mark for nil.
    package static func cell(_ value: PropertyValue) -> String {
        switch value {
        case .null: return nilMark
        case .string(let text): return quotedWhereNeeded(text)
        case .data(let bytes): return "<\(bytes.count) bytes>"
        case .large(let value): return (try? value.count).map { "<\($0) bytes>" } ?? "<missing>"
        case .object(let id): return "\(id.entity.name)/p\(id.key)"
        case .list(let elements): return elements.map(cell).joined(separator: ", ")
        default: return plain(value) ?? nilMark
        }
    }

    /// Ambiguous text is quoted: empty text, the mark for nil, and text that begins with a quote.
    private static func quotedWhereNeeded(_ text: String) -> String {
        guard text.isEmpty || text == nilMark || text.first == "\"" else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// The time of a save, an autosave or a version, with three digits of milliseconds.
    package static func moment(_ value: Date) -> String {
        let milliseconds = value.milliseconds, fraction = (milliseconds % 1000 + 1000) % 1000
        let whole = Date(milliseconds: milliseconds - fraction)
        return date(whole).replacing("Z", with: ".\(String(1000 + fraction).dropFirst())Z")
    }

    package static func date(_ value: Date) -> String {
        let seconds = value.timeIntervalSinceReferenceDate
        return Timestamp.text(seconds) ?? (double(seconds) ?? notFinite(seconds))
    }
}

extension JSONWriter {
    /// The size in bytes above which values are written in pieces.
    private static let wholeBytes: Int64 = 1 << 22

    /// Writes the value of a property in the format of the export.
    package mutating func property(_ value: PropertyValue) {
        switch value {
        case .null: null()
        case .int(let value): word(String(value))
        case .bool(let value): bool(value)
        case .double(let value): number(value)
        case .float(let value):
            if let text = ValueText.float(value) { word(text) } else { string(ValueText.notFinite(Double(value))) }
        case .decimal(let value): string(ValueText.decimal(value))
        case .date(let value):
            let seconds = value.timeIntervalSinceReferenceDate
            if let text = Timestamp.text(seconds) { string(text) } else { number(seconds) }
        case .string(let value): string(value)
        case .data(let value): string(value.base64EncodedString())
        case .uuid(let value): string(value.uuidString)
        case .uri(let value): string(value.absoluteString)
        case .large(let value):
            do {
                if try value.count <= Self.wholeBytes {
                    string(try value.data().base64EncodedString())
                } else {
                    base64(try value.reader())
                }
            } catch let error as StorageError where error.code == .notFound || value.fileName?.isEmpty == true {
                beginObject()
                name("$missing")
                string(value.fileName ?? "")
                endObject()
            } catch {
                // A value that can't be read is not missing. An export that reports it as missing
                // would seem complete.
                unreadable(error)
            }
        case .composite(let members):
            beginObject()
            for (name, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                self.name(name)
                property(member)
            }
            endObject()
        case .object(let id): string(id.description)
        case .list(let elements):
            beginArray()
            for element in elements { property(element) }
            endArray()
        }
    }

    private mutating func number(_ value: Double) {
        if let text = ValueText.double(value) { word(text) } else { string(ValueText.notFinite(value)) }
    }
}
