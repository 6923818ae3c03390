import Folio

/// The first line of a CSV file: what separates its fields, and what they are called.
enum CSVHeader {
    /// What `--delimiter` calls them, and what a header is looked at for without it; `|` has to be
    /// said.
    static let delimiters: [(name: String, byte: UInt8)] = [
        (",", UInt8(ascii: ",")), (";", UInt8(ascii: ";")), ("tab", 0x09), ("|", UInt8(ascii: "|")),
    ]
    private static let seen = delimiters.prefix(3)

    /// - Parameter isColumn: whether a name can be that of a column.
    /// - Returns: the delimiter of a file that has not said it.
    /// - Throws: malformed data where the header reads one way with one delimiter, and another with
    ///   the next.
    static func delimiter(of source: ImportBytes, isColumn: (String) -> Bool) throws -> UInt8 {
        var candidates: [(name: String, byte: UInt8, fields: [String?])] = []
        for (name, byte) in seen {
            var reader = CSVReader(try ByteWindow(source), delimiter: byte), fields: [String?] = []
            // What does not parse is told with the delimiter that is taken in the end.
            guard (try? reader.next(&fields)) == true, fields.count > 1 else { continue }
            candidates.append((name, byte, fields))
        }
        if candidates.count > 1 {
            let fitting = candidates.filter { $0.fields.allSatisfy { $0.map(isColumn) ?? false } }
            if fitting.count == 1 { candidates = fitting }
        }
        guard candidates.count > 1 else { return candidates.first?.byte ?? delimiters[0].byte }
        throw CommandError(
            .malformed, "ambiguousHeader",
            "line 1: the fields may be separated by " + candidates.map(\.name).joined(separator: " or by "),
            hint: "say which: --delimiter '\(candidates[0].name)'")
    }

    /// The names of the columns.
    /// - Throws: malformed data for a column without a name, or one that comes twice.
    static func names(_ fields: [String?]) throws -> [String] {
        var seen: Set<String> = []
        return try fields.enumerated().map { index, name in
            guard let name else { throw CommandError.malformed("line 1, column \(index + 1): a column without a name") }
            // The export has the object first, and then perhaps an attribute that is called id too.
            if index > 0 || name != "id" {
                guard seen.insert(name).inserted else {
                    throw CommandError.malformed("line 1, column \(index + 1): the column \(name) comes twice")
                }
            }
            return name
        }
    }
}
