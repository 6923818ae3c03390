internal import Foundation
internal import Schema

/// Parses the part of the predicate language that models use, in order to archive it: comparisons
/// of key paths, variables, literals and lists, combined with AND, OR and NOT. Anything else
/// returns nil. The module `Query` parses the whole language.
struct PredicateParser {
    private enum Token: Equatable {
        case word(String)
        case variable(String)
        case string(String)
        case number(String)
        case symbol(String)
    }

    private static let maximumDepth = 100
    private var tokens: [Token] = []
    private var place = 0
    private var depth = 0

    static func predicate(_ text: String) -> PredicateNode? {
        guard var parser = PredicateParser(text), let node = parser.disjunction(), parser.place == parser.tokens.count
        else { return nil }
        return node
    }

    /// Parses an expression, including those of derived attributes: `pages.@count`,
    /// `canonical:(name)`, `now()`.
    static func expression(_ text: String) -> PredicateNode.Expression? {
        guard var parser = PredicateParser(text), let expression = parser.expression(),
            parser.place == parser.tokens.count
        else { return nil }
        // Derivation expressions archive `@count` as a function of its key path.
        if case .keyPath(let path) = expression, path.hasSuffix(".@count") {
            return .function("count:", [.keyPath(String(path.dropLast(7)))])
        }
        return expression
    }

    // MARK: Predicates

    private mutating func disjunction() -> PredicateNode? {
        guard depth < Self.maximumDepth, let first = conjunction() else { return nil }
        var parts = [first]
        while accept("OR") || accept(symbol: "||") {
            guard let next = conjunction() else { return nil }
            parts.append(next)
        }
        return parts.count == 1 ? first : .or(parts)
    }

    private mutating func conjunction() -> PredicateNode? {
        guard let first = negation() else { return nil }
        var parts = [first]
        while accept("AND") || accept(symbol: "&&") {
            guard let next = negation() else { return nil }
            parts.append(next)
        }
        return parts.count == 1 ? first : .and(parts)
    }

    private mutating func negation() -> PredicateNode? {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth else { return nil }
        if accept("NOT") || accept(symbol: "!") { return negation().map { .not($0) } }
        if accept("TRUEPREDICATE") { return .truth(true) }
        if accept("FALSEPREDICATE") { return .truth(false) }
        if accept(symbol: "(") {
            guard let inner = disjunction(), accept(symbol: ")") else { return nil }
            return inner
        }
        return comparison()
    }

    private mutating func comparison() -> PredicateNode? {
        var modifier: Int64 = 0
        if accept("ALL") { modifier = 1 } else if accept("ANY") || accept("SOME") { modifier = 2 }
        guard let left = expression(), let type = comparisonOperator(), let options = options(),
            let right = expression()
        else { return nil }
        return .comparison(left, type, right, options: options, modifier: modifier)
    }

    private mutating func comparisonOperator() -> Int64? {
        guard place < tokens.count else { return nil }
        defer { place += 1 }
        switch tokens[place] {
        case .symbol("<"): return 0
        case .symbol("<="), .symbol("=<"): return 1
        case .symbol(">"): return 2
        case .symbol(">="), .symbol("=>"): return 3
        case .symbol("=="), .symbol("="): return 4
        case .symbol("!="), .symbol("<>"): return 5
        case .word(let word): return PredicateText.operators.first { $0.value == word.uppercased() }?.key
        default: return nil
        }
    }

    private mutating func options() -> Int64? {
        guard accept(symbol: "[") else { return 0 }
        guard place < tokens.count, case .word(let letters) = tokens[place] else { return nil }
        place += 1
        var options: Int64 = 0
        for letter in letters.lowercased() {
            guard let bit = ["c": 1, "d": 2, "n": 4, "l": 8][letter] as Int64? else { return nil }
            options |= bit
        }
        return accept(symbol: "]") ? options : nil
    }

    // MARK: Expressions

    private mutating func expression() -> PredicateNode.Expression? {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth, place < tokens.count else { return nil }
        let token = tokens[place]
        place += 1
        switch token {
        case .string(let text): return .constant(.string(text))
        case .number(let text):
            return Int64(text).map { .constant(.int($0)) } ?? Double(text).map { .constant(.double($0)) }
        case .variable(let text):
            guard let dot = text.firstIndex(of: ".") else { return .variable(text) }
            return .path(.variable(String(text[..<dot])), String(text[text.index(after: dot)...]))
        case .symbol("{"): return list(until: "}").map { .aggregate($0) }
        case .word(let word): return named(word)
        case .symbol: return nil
        }
    }

    private mutating func named(_ word: String) -> PredicateNode.Expression? {
        if accept(symbol: "(") {
            guard let arguments = list(until: ")") else { return nil }
            let selector = arguments.isEmpty || word.hasSuffix(":") ? word : word + ":"
            return .function(selector, arguments)
        }
        switch word.uppercased() {
        case "SELF": return .evaluatedObject
        case "YES", "TRUE": return .constant(.bool(true))
        case "NO", "FALSE": return .constant(.bool(false))
        case "NIL", "NULL": return .constant(.null)
        default: break
        }
        if word.hasPrefix("SELF.") { return .keyPath(String(word.dropFirst(5))) }
        guard !word.hasSuffix(":"), !PredicateText.reserved.contains(word.uppercased()) else { return nil }
        return .keyPath(word.replacing("#", with: ""))
    }

    private mutating func list(until end: String) -> [PredicateNode.Expression]? {
        var elements: [PredicateNode.Expression] = []
        if accept(symbol: end) { return elements }
        repeat {
            guard let element = expression() else { return nil }
            elements.append(element)
        } while accept(symbol: ",")
        return accept(symbol: end) ? elements : nil
    }

    private mutating func accept(_ keyword: String) -> Bool {
        guard place < tokens.count, case .word(let word) = tokens[place], word.uppercased() == keyword else {
            return false
        }
        place += 1
        return true
    }

    private mutating func accept(symbol: String) -> Bool {
        guard place < tokens.count, tokens[place] == .symbol(symbol) else { return false }
        place += 1
        return true
    }

    // MARK: Tokens

    private init?(_ text: String) {
        let characters = Array(text)
        var index = 0
        func isWord(_ character: Character) -> Bool {
            character.isLetter || character.isNumber || "_.@#:".contains(character)
        }
        while index < characters.count {
            let character = characters[index]
            let start = index
            if character.isWhitespace {
                index += 1
            } else if character == "\"" || character == "'" {
                guard let (string, end) = Self.string(characters, index) else { return nil }
                tokens.append(.string(string))
                index = end
            } else if character.isNumber
                || (character == "-" && index + 1 < characters.count && characters[index + 1].isNumber)
            {
                index += 1
                while index < characters.count, characters[index].isNumber || ".eE".contains(characters[index]) {
                    index += 1
                }
                tokens.append(.number(String(characters[start..<index])))
            } else if character == "$" {
                index += 1
                while index < characters.count, isWord(characters[index]) { index += 1 }
                tokens.append(.variable(String(characters[start + 1..<index])))
            } else if isWord(character) {
                while index < characters.count, isWord(characters[index]) { index += 1 }
                tokens.append(.word(String(characters[start..<index])))
            } else {
                let pair = index + 1 < characters.count ? String(characters[index...index + 1]) : ""
                let isPair = ["==", "<=", "=<", ">=", "=>", "!=", "<>", "&&", "||"].contains(pair)
                tokens.append(.symbol(isPair ? pair : String(character)))
                index += isPair ? 2 : 1
            }
        }
    }

    private static func string(_ characters: [Character], _ start: Int) -> (String, Int)? {
        var result = "", index = start + 1
        while index < characters.count, characters[index] != characters[start] {
            if characters[index] == "\\" {
                index += 1
                guard index < characters.count else { return nil }
                result.append(["n": "\n", "r": "\r", "t": "\t"][characters[index]] ?? characters[index])
            } else {
                result.append(characters[index])
            }
            index += 1
        }
        return index < characters.count ? (result, index + 1) : nil
    }
}
