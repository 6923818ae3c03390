/// A token of predicate text with its position in UTF-8.
struct PredicateToken {
    enum Kind {
        case end
        /// A key, `@` operator or function name. `isEscaped` if it was written with `#`, so that it
        /// is not a keyword.
        case identifier(String, isEscaped: Bool)
        case keyword(Keyword)
        /// An integer without its sign.
        case integer(UInt64)
        case number(Double)
        case string(String)
        /// `$name`
        case variable(String)
        case placeholder(Placeholder)
        case symbol(Symbol)
    }

    /// Words that are reserved wherever an operand or an operator may occur. After a dot in a path
    /// they are plain keys.
    enum Keyword: String, CaseIterable {
        case and = "AND", or = "OR", not = "NOT"
        case any = "ANY", some = "SOME", all = "ALL", none = "NONE"
        case between = "BETWEEN", `in` = "IN", contains = "CONTAINS", beginsWith = "BEGINSWITH", endsWith = "ENDSWITH"
        case like = "LIKE", matches = "MATCHES", utiConformsTo = "UTI-CONFORMS-TO", utiEquals = "UTI-EQUALS"
        case null = "NULL", `nil` = "NIL", `self` = "SELF"
        case `true` = "TRUE", yes = "YES", `false` = "FALSE", no = "NO"
        case truePredicate = "TRUEPREDICATE", falsePredicate = "FALSEPREDICATE"
    }

    /// Words that have a meaning only in one context (in brackets, before a parenthesis) and are
    /// keys elsewhere. Apple reserves them everywhere, so they are printed with `#`.
    static let contextualWords: Set<String> = [
        "FIRST", "LAST", "SIZE", "SUBQUERY", "FETCH", "CAST", "ANYKEY", "CASEINSENSITIVE", "CI", "TERNARY", "FUNCTION",
    ]

    enum Placeholder {
        /// `%@`
        case value
        /// `%K`
        case keyPath
        /// `%d` and its variants
        case integer
        /// `%f` and its variants
        case number
        /// `%c`
        case character
        /// `%s`
        case text
    }

    enum Symbol: String {
        case openParenthesis = "(", closeParenthesis = ")", openBrace = "{", closeBrace = "}", openBracket = "[",
            closeBracket = "]"
        case comma = ",", dot = ".", colon = ":", assign = ":="
        case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
        case and = "&&", or = "||", not = "!"
        case plus = "+", minus = "-", times = "*", divide = "/", power = "**"
        case bitAnd = "&", bitOr = "|", bitXor = "^", complement = "~", shiftLeft = "<<", shiftRight = ">>"
    }

    var kind: Kind
    /// The start and end as UTF-8 offsets.
    var start: Int
    var end: Int

    func `is`(_ symbol: Symbol) -> Bool {
        if case .symbol(let own) = kind { own == symbol } else { false }
    }

    func `is`(_ keyword: Keyword) -> Bool {
        if case .keyword(let own) = kind { own == keyword } else { false }
    }

    /// Whether this is the unescaped word `word`, which must be in upper case.
    func isWord(_ word: String) -> Bool {
        if case .identifier(let own, false) = kind {
            own.utf8.count == word.utf8.count && own.uppercased() == word
        } else {
            false
        }
    }
}
