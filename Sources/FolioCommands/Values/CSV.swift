/// Comma-separated values (RFC 4180, lines end with LF). Nil is nothing, an empty string is a pair of quotes.
enum CSV {
    static func line(_ fields: [String?]) -> String {
        fields.map(field).joined(separator: ",")
    }

    private static func field(_ text: String?) -> String {
        guard let text else { return "" }
        let needsQuotes = text.isEmpty || text.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }

    /// The records of a CSV text; a field without quotes and without a character is nil.
    /// - Throws: a description of what is wrong and its line.
    static func records(of text: String) throws -> [[String?]] {
        var records: [[String?]] = []
        var record: [String?] = []
        var field: [UInt8] = []
        var isQuoted = false
        var line = 1
        var rest = Array(text.utf8)[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
        func take() -> String? {
            defer {
                field.removeAll()
                isQuoted = false
            }
            return field.isEmpty && !isQuoted ? nil : String(decoding: field, as: UTF8.self)
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\"") where field.isEmpty && !isQuoted:
                isQuoted = true
                var isClosed = false
                while let byte = rest.popFirst() {
                    if byte == UInt8(ascii: "\"") {
                        guard rest.first == byte else {
                            isClosed = true
                            break
                        }
                        rest.removeFirst()
                    }
                    if byte == 0x0A { line += 1 }
                    field.append(byte)
                }
                guard isClosed else { throw CommandError.malformed("line \(line): a quoted field without an end") }
            case UInt8(ascii: ","): record.append(take())
            case 0x0D where rest.first == 0x0A: continue
            case 0x0A:
                line += 1
                record.append(take())
                if record != [nil] { records.append(record) }
                record = []
            default:
                guard !isQuoted else { throw CommandError.malformed("line \(line): text after a quoted field") }
                field.append(byte)
            }
        }
        if !field.isEmpty || isQuoted || !record.isEmpty { records.append(record + [take()]) }
        return records
    }
}
