/// Writes comma-separated values (RFC 4180, lines end with LF). Nil is an empty field, an empty
/// string a pair of quotes.
package enum CSV {
    package static func line(_ fields: [String?]) -> String {
        fields.map(field).joined(separator: ",")
    }

    private static func field(_ text: String?) -> String {
        guard let text else { return "" }
        let needsQuotes =
            text.isEmpty
            || text.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}
