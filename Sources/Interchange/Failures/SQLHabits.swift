package import Folio

/// Hints for people who write SQL in predicates.
///
/// Every rule examines the text before and after the position of the syntax error, which is between
/// two words and never within quotes.
package enum SQLHabits {
    /// What to write instead of an invalid predicate; nil if no rule applies.
    package static func hint(for error: QueryError) -> String? {
        guard let text = error.text else { return nil }
        guard let offset = error.offset else { return hint(for: error, in: text) }
        let place = text.index(text.startIndex, offsetBy: min(offset, text.count))
        let before = text[..<place], behind = text[place...]
        return comparison(before, behind) ?? list(text, before, behind) ?? function(behind, error) ?? sign(
            before, behind, error) ?? statement(before, behind)
            ?? word(before, behind, error)
    }

    /// A hint for an error without a position: an unknown key, or types that can't be compared.
    private static func hint(for error: QueryError, in text: String) -> String? {
        if error.code == .unknownKey, let key = error.key {
            let words = text.split(separator: key, maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2,
                words[0].firstMatch(
                    of: /(?:[=<>]|\b(?:LIKE|CONTAINS|BEGINSWITH|ENDSWITH|MATCHES|IN|BETWEEN))(?:\[\w*\])?\s*$/
                        .ignoresCase()) != nil
            else { return nil }
            if let number = words[1].prefixMatch(of: /\/p\d+/) {
                return "objects stand in quotes: \"\(key)\(number.0)\""
            }
            return error.suggestions.isEmpty ? quotesHint(key) : nil
        }
        if error.code == .type, let match = error.message.prefixMatch(of: /(\S+) is a date: "(.*)" can't be compared/) {
            guard let year = match.2.wholeMatch(of: /\d{1,4}/)?.0 else { return dateHint }
            let comparison = text.firstMatch(of: /([<>=!]+)\s*(['"])(.*?)\2/)
            return instead(ofYear: String(year), String(match.1), comparison.map { String($0.1) } ?? "==")
        }
        if let inList = text.firstMatch(of: /\bIN\s*\(([^(){}'"]*)\)/.ignoresCase()) {
            return "IN takes braces: IN {\(inList.1)}"
        }
        return nil
    }

    private static func quotesHint(_ text: some StringProtocol) -> String {
        "text stands in quotes: \"\(text)\"; with the whole condition in single quotes the shell leaves them there"
    }

    /// The key or key path before an operator.
    private static func operand(_ before: Substring) -> String {
        before.firstMatch(of: /([\w.@#]+)\s*$/).map { String($0.1) } ?? "x"
    }

    // MARK: Operators

    private static func comparison(_ before: Substring, _ behind: Substring) -> String? {
        let key = operand(before)
        if behind.prefixMatch(of: /(?:IS\s+NOT\s+(?:NULL|NIL)|NOTNULL|NOT\s+NULL)\b/.ignoresCase()) != nil {
            return "write \(key) != nil"
        }
        if behind.prefixMatch(of: /(?:IS\s+(?:NULL|NIL)|ISNULL)\b/.ignoresCase()) != nil {
            return "write \(key) == nil"
        }
        if let match = behind.prefixMatch(of: /IS\s+(NOT\s+)?(TRUE|FALSE|YES|NO)\b/.ignoresCase()) {
            return "write \(key) \(match.1 == nil ? "==" : "!=") \(match.2.uppercased())"
        }
        if let match = behind.prefixMatch(of: /IS\s+(NOT\s+)?EMPTY\b/.ignoresCase()) {
            return "write \(key).@count \(match.1 == nil ? "==" : ">") 0"
        }
        if behind.prefixMatch(of: /IS\b/.ignoresCase()) != nil { return "write == or !=" }
        if let match = behind.prefixMatch(
            of: /NOT\s+(IN|LIKE|BETWEEN|CONTAINS|BEGINSWITH|ENDSWITH|MATCHES|SEARCH)\b/.ignoresCase())
        {
            let name = match.1.uppercased()
            return "NOT stands before the comparison: NOT \(key) \(name)"
                + (name == "IN" || name == "BETWEEN" ? " {…}" : " \"…\"")
        }
        guard
            let match = behind.prefixMatch(
                of: /(ILIKE|REGEXP|RLIKE|SIMILAR\s+TO|GLOB|STARTSWITH|STARTS\s+WITH|ENDS\s+WITH|INCLUDES|HAS|MATCH)\b/
                    .ignoresCase())
        else { return nil }
        switch match.1.uppercased().prefix(3) {
        case "ILI": return "write LIKE[c], with * and ? for the wildcards"
        case "GLO": return "write LIKE, with * and ? for the wildcards"
        case "STA": return "write BEGINSWITH"
        case "END": return "write ENDSWITH"
        case "INC", "HAS": return "write CONTAINS"
        case "MAT": return "write SEARCH for words of a text, or MATCHES for a regular expression"
        default: return "write MATCHES, whose pattern is for the whole text"
        }
    }

    // MARK: Lists

    private static func list(_ text: String, _ before: Substring, _ behind: Substring) -> String? {
        if before.firstMatch(of: /\b(?:IN|EXISTS)\s*\(\s*SELECT\b[^)]*$|\bSELECT\s*$/.ignoresCase()) != nil {
            return subqueryHint
        }
        if behind.first == ",", let open = before.firstMatch(of: /\bIN\s*\(([^(){}]*)$/.ignoresCase()) {
            let rest = behind.prefix { $0 != ")" }
            return "IN takes braces: IN {\(open.1)\(rest)}"
        }
        let value = #/(?:'[^']*'|"[^"]*"|[^\s'"{}()]+)/#
        if let match = before.firstMatch(of: /\bBETWEEN\s+(.+?)\s+AND\s+(.+?)\s*$/.ignoresCase()),
            match.1.wholeMatch(of: value) != nil, match.2.wholeMatch(of: value) != nil
        {
            return "BETWEEN takes braces: BETWEEN {\(match.1), \(match.2)}"
        }
        return nil
    }

    private static let subqueryHint =
        "relationships are asked by ANY stops.nights > 2, or by SUBQUERY(stops, $s, $s.nights > 2).@count > 0"

    // MARK: Functions

    private static func function(_ behind: Substring, _ error: QueryError) -> String? {
        guard error.code == .unsupported, let name = behind.prefixMatch(of: /(\w+)\s*\(/)?.1.lowercased() else {
            return nil
        }
        switch name {
        case "lower", "lcase", "tolower": return "write lowercase(x); comparisons with [c] pass over the case"
        case "upper", "ucase", "toupper": return "write uppercase(x); comparisons with [c] pass over the case"
        case "ceil": return "write ceiling(x)"
        case "avg", "mean": return "write average(x), or x.@avg"
        case "len", "char_length", "character_length", "octet_length": return "write length(x)"
        case "coalesce", "ifnull", "nvl", "nullif", "iif", "if": return "write TERNARY(x == nil, …, x)"
        case "strftime", "date_part", "datepart", "extract", "date_trunc":
            return "write year(x), month(x), day(x), hour(x), minute(x), second(x) or weekday(x)"
        case "convert_tz", "timezone", "to_timezone", "from_utc_timestamp":
            return "write local(x, \"Europe/Berlin\"), or hour(x, \"Europe/Berlin\") for a part"
        case "date", "datetime", "timestamp", "to_date", "julianday", "unixepoch": return dateHint
        case "current_date", "current_timestamp", "getdate", "curdate", "sysdate": return "write now()"
        case "substr", "substring", "left", "right", "instr", "charindex", "locate", "strpos":
            return "write BEGINSWITH, CONTAINS, ENDSWITH or MATCHES"
        case "concat", "concat_ws", "group_concat": return "texts can't be joined"
        case "regexp_like", "regexp": return "write x MATCHES \"…\""
        case "mod": return "write modulus:by:(x, y)"
        case "pow", "power": return "write x ** y"
        case "round": return "write floor(x + 0.5)"
        case "exists": return subqueryHint
        default: return QueryFunction(written: name) == nil ? nil : "functions are written in small letters: \(name)(…)"
        }
    }

    /// What to write instead of a comparison of a date with a year.
    package static func instead(ofYear year: String, _ key: String, _ comparison: String) -> String {
        let day = String(repeating: "0", count: max(0, 4 - year.count)) + year + "-01-01"
        return "write \(key) \(comparison) \"\(day)\", or year(\(key)) \(comparison) \(year)"
    }

    private static let dateHint = "dates stand in quotes and nothing else: \"1893-06-24\", \"1893-06-24T12:30:00Z\""

    // MARK: Signs

    private static func sign(_ before: Substring, _ behind: Substring, _ error: QueryError) -> String? {
        if error.code == .argument {
            return "a command line gives no arguments: write the value itself, text in quotes"
        }
        switch behind.first {
        case "%": return "the remainder of x divided by y is modulus:by:(x, y)"
        case "|": return "|| means OR; texts can't be joined"
        case ";": return "a predicate ends without a semicolon"
        case "`", "[": return "keys stand without quotes and brackets: name == \"x\""
        case "*" where before.firstMatch(of: /\bCOUNT\(\s*$/.ignoresCase()) != nil:
            return "write stops.@count for the objects of a relationship; --count counts what is found"
        case "=" where before.last == "=": return "== compares"
        case "("
        where before.firstMatch(of: /\.(?:startsWith|hasPrefix|endsWith|hasSuffix|contains|includes)$/.ignoresCase())
            != nil:
            return "write BEGINSWITH, ENDSWITH or CONTAINS between key and text"
        case "'", "\"":
            if before.firstMatch(of: /\b(?:DATE|TIMESTAMP)\s*$/.ignoresCase()) != nil { return dateHint }
            return before.last == behind.first
                ? "within quotes write \\\(behind.prefix(1)), or take the other kind of quotes outside" : nil
        default: return nil
        }
    }

    // MARK: Words

    private static func statement(_ before: Substring, _ behind: Substring) -> String? {
        if behind.prefixMatch(of: /(?:ORDER|GROUP)\s+BY\b|(?:LIMIT|OFFSET|HAVING)\b/.ignoresCase()) != nil {
            return "these are options of their own: --sort, --limit, --offset, --group-by, --having"
        }
        if before.firstMatch(of: /\bCASE\s*$/.ignoresCase()) != nil
            || behind.prefixMatch(of: /(?:CASE|WHEN)\b/.ignoresCase()) != nil
        {
            return "write TERNARY(condition, value, other value)"
        }
        if behind.prefixMatch(of: /AS\b/.ignoresCase()) != nil,
            before.firstMatch(of: /\bCAST\s*\(/.ignoresCase()) != nil
        {
            return "write CAST(x, \"NSNumber\"), or NSString, NSDate, NSDecimalNumber"
        }
        return nil
    }

    private static func word(_ before: Substring, _ behind: Substring, _ error: QueryError) -> String? {
        // A key without a comparison.
        if error.expected == "a comparison operator",
            behind.isEmpty || behind.prefixMatch(of: /(?:AND|OR)\b|\)|&&/.ignoresCase()) != nil,
            let match = before.firstMatch(of: /(?:^|\bAND\b|\bOR\b|\bNOT\b|[(!])\s*([A-Za-z_][\w.]*)\s*$/.ignoresCase())
        {
            return "a condition compares: \(match.1) == YES"
        }
        if let match = before.firstMatch(of: /[=<>]\s*([A-Za-z][\w']*\s+)$/),
            let rest = behind.prefixMatch(of: /[A-Za-z][\w']*/)?.0
        {
            return quotesHint(match.1 + rest)
        }
        return nil
    }
}
