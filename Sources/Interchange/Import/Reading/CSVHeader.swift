import Folio

/// The header of a CSV file: its delimiter and its column names.
enum CSVHeader {
    /// The delimiters that are tried for a header where none is given.
    private static let seen: [ImportOptions.Delimiter] = [.comma, .semicolon, .tab]

    /// - Parameter isColumn: Whether a name can be the name of a column.
    /// - Returns: The delimiter of a file without `--delimiter`.
    /// - Throws: An error for malformed data if the header is valid with several delimiters.
    static func delimiter(of source: ImportBytes, isColumn: (String) -> Bool) throws -> UInt8 {
        var candidates: [(name: String, byte: UInt8, fields: [String?])] = []
        for delimiter in seen {
            let name = delimiter.rawValue, byte = delimiter.byte
            var reader = CSVReader(try ByteWindow(source), delimiter: byte), fields: [String?] = []
            // Syntax errors are reported when the file is read with the selected delimiter.
            guard (try? reader.next(&fields)) == true, fields.count > 1 else { continue }
            candidates.append((name, byte, fields))
        }
        if candidates.count > 1 {
            let fitting = candidates.filter { $0.fields.allSatisfy { $0.map(isColumn) ?? false } }
            if fitting.count == 1 { candidates = fitting }
        }
        guard candidates.count > 1 else { return candidates.first?.byte ?? seen[0].byte }
        throw InterchangeError(
            .malformed, "ambiguousHeader",
            "line 1: the fields may be separated by " + candidates.map(\.name).joined(separator: " or by "),
            hint: "say which: --delimiter '\(candidates[0].name)'")
    }

    /// The names of the columns.
    /// - Throws: An error for malformed data if a column has no name or a duplicate one.
    static func names(_ fields: [String?]) throws -> [String] {
        var seen: Set<String> = []
        return try fields.enumerated().map { index, name in
            guard let name else {
                throw InterchangeError.malformed("line 1, column \(index + 1): a column without a name")
            }
            // The first column of an export is the object's URI, and an attribute may be named id,
            // too.
            if index > 0 || name != "id" {
                guard seen.insert(name).inserted else {
                    throw InterchangeError.malformed("line 1, column \(index + 1): the column \(name) comes twice")
                }
            }
            return name
        }
    }
}
