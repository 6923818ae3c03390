/// Names in SQL text.
package enum SQLName {
    /// `name` for use in SQL. It is quoted only if it is not a plain identifier, so that the SQL of
    /// new stores matches Core Data's.
    package static func quoted(_ name: String) -> String {
        let isPlain =
            name.utf8.first.map { isLetter($0) } == true && name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
        return isPlain ? name : doubling("\"", in: name)
    }

    /// `text` as a SQL string.
    package static func literal(_ text: String) -> String {
        doubling("'", in: text)
    }

    /// `text` between quotes, with inner quotes doubled. It compares scalars as SQLite does: a
    /// quote before a combining mark is a different `Character`.
    private static func doubling(_ quote: Unicode.Scalar, in text: String) -> String {
        var result = String.UnicodeScalarView([quote])
        for scalar in text.unicodeScalars {
            if scalar == quote { result.append(quote) }
            result.append(scalar)
        }
        result.append(quote)
        return String(result)
    }

    /// The name with ASCII letters in upper case. SQLite compares names without regard to their
    /// case.
    static func key(_ name: String) -> String {
        String(decoding: name.utf8.map { $0 >= 0x61 && $0 <= 0x7a ? $0 - 32 : $0 }, as: UTF8.self)
    }

    // Every table and column of this format begins with Z or A, so no plain name is a SQL keyword.
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x41 && byte <= 0x5a || byte >= 0x61 && byte <= 0x7a || byte == 0x5f
    }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
