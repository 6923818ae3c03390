/// A parsed SEARCH query: words, phrases and prefixes that are looked for in one or several texts
/// of an object.
///
/// 1. A word matches anywhere. `"several words"` in quotes is a phrase. `desert*` matches all words
///    with this prefix, and `"great des"*` a phrase whose last word has this prefix. All terms must
///    be found, each in any of the texts, a phrase within a single text.
/// 2. `-word` and `-"a phrase"` must not be found in any text. `OR` in capitals separates
///    alternatives: at least one of them must match.
/// 3. Text that users type is never an error: an unclosed quotation extends to the end of the text,
///    and other characters separate words. A query without words matches nothing, and so does an
///    alternative that has only `-words`.
/// 4. At most 64 terms are used, and at most 64 words of a phrase; the rest is ignored.
package struct SearchQuery: Sendable, Hashable {
    struct Term: Sendable, Hashable {
        var words: [String]
        /// Whether the last word is a prefix.
        var isPrefix: Bool
    }

    struct Alternative: Sendable, Hashable {
        var wanted: [Term] = []
        var unwanted: [Term] = []
    }

    private static let mostTerms = 64
    private static let mostWords = 64

    let alternatives: [Alternative]

    package init(_ text: String) {
        var alternatives: [Alternative] = []
        var current = Alternative()
        var count = 0
        for (words, isPrefix, isUnwanted, isOr) in Self.pieces(of: text) {
            if isOr {
                alternatives.append(current)
                current = Alternative()
                continue
            }
            let words = Array(TextWords.words(of: words).prefix(Self.mostWords))
            guard !words.isEmpty, count < Self.mostTerms else { continue }
            count += 1
            if isUnwanted {
                current.unwanted.append(Term(words: words, isPrefix: isPrefix))
            } else {
                current.wanted.append(Term(words: words, isPrefix: isPrefix))
            }
        }
        alternatives.append(current)
        self.alternatives = alternatives.filter { !$0.wanted.isEmpty }
    }

    /// Whether the query can match nothing.
    package var isEmpty: Bool { alternatives.isEmpty }

    private static func pieces(of text: String) -> [(words: String, isPrefix: Bool, isUnwanted: Bool, isOr: Bool)] {
        var pieces: [(String, Bool, Bool, Bool)] = []
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            if scalars[index].properties.isWhitespace {
                index += 1
                continue
            }
            var isUnwanted = false
            if scalars[index] == "-", index + 1 < scalars.count, !scalars[index + 1].properties.isWhitespace {
                isUnwanted = true
                index += 1
            }
            var words = String.UnicodeScalarView()
            let isQuoted = scalars[index] == "\""
            if isQuoted { index += 1 }
            while index < scalars.count,
                isQuoted ? scalars[index] != "\"" : !scalars[index].properties.isWhitespace && scalars[index] != "\""
            {
                words.append(scalars[index])
                index += 1
            }
            var isPrefix = false
            if isQuoted {
                index += 1
                if index < scalars.count, scalars[index] == "*" {
                    isPrefix = true
                    index += 1
                }
            } else {
                isPrefix = words.last == "*"
            }
            let word = String(words)
            pieces.append((word, isPrefix, isUnwanted, !isQuoted && !isUnwanted && word == "OR"))
        }
        return pieces
    }

    // MARK: In memory

    /// Whether the texts of one object match the query; a nil text contains nothing.
    package func matches(_ texts: [String?]) -> Bool {
        if isEmpty { return false }
        let columns = texts.map { $0.map(TextWords.words) ?? [] }
        func found(_ term: Term) -> Bool { columns.contains { term.firstPlace(in: $0) != nil } }
        return alternatives.contains { $0.wanted.allSatisfy(found) && !$0.unwanted.contains(where: found) }
    }

    /// How well a text matches: 0 if it contains none of the wanted terms. The value increases with
    /// the number of terms found and their frequency, and decreases with the length of the text.
    ///
    /// It depends only on the text and the query, so that the order is the same in every store and
    /// before and after a save. Each term contributes `f / (f + 0.3 + 0.9 n / 100)` times its
    /// number of words, where `f` is its number of occurrences and `n` is the length of the text in
    /// words.
    package func relevance(of text: String?) -> Double {
        guard let text, !isEmpty else { return 0 }
        let words = TextWords.words(of: text)
        guard !words.isEmpty else { return 0 }
        let length = 0.3 + 0.9 * Double(words.count) / 100
        var seen: Set<Term> = []
        var sum = 0.0
        for term in alternatives.flatMap(\.wanted) where seen.insert(term).inserted {
            let count = Double(term.count(in: words))
            sum += Double(term.words.count) * count / (count + length)
        }
        return sum
    }

    // MARK: In an index

    /// The words of a text in the form that indexes store.
    package static func words(of text: String) -> String { TextWords.joined(text) }

    /// The query as an FTS5 expression, for the given columns of an index of ``TextWords``. Words
    /// contain neither quotes nor other FTS5 syntax.
    package func expression(columns: [String]) -> String {
        let names = columns.map(Self.quoted).joined(separator: " ")
        let parts = alternatives.map { alternative in
            let wanted = "(" + alternative.wanted.map(\.expression).joined(separator: " AND ") + ")"
            return alternative.unwanted.isEmpty
                ? wanted : "(\(wanted) NOT (" + alternative.unwanted.map(\.expression).joined(separator: " OR ") + "))"
        }
        return "{\(names)} : (" + parts.joined(separator: " OR ") + ")"
    }

    fileprivate static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension SearchQuery.Term {
    private func isFound(at start: Int, in words: [String]) -> Bool {
        guard start + self.words.count <= words.count else { return false }
        for (offset, word) in self.words.enumerated() {
            let own = words[start + offset]
            if isPrefix, offset == self.words.count - 1 {
                guard own.utf8.starts(with: word.utf8) else { return false }
            } else {
                guard TextOrder.equal(own, word) else { return false }
            }
        }
        return true
    }

    func firstPlace(in words: [String]) -> Int? {
        words.indices.first { isFound(at: $0, in: words) }
    }

    func count(in words: [String]) -> Int {
        words.indices.count { isFound(at: $0, in: words) }
    }

    var expression: String {
        SearchQuery.quoted(words.joined(separator: " ")) + (isPrefix ? "*" : "")
    }
}
