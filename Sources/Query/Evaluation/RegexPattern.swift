import Foundation

/// A pattern of MATCHES: an ICU regular expression that must match the whole text.
///
/// `[c]` is ICU's own case-insensitive matching. With `[d]`, diacritics are removed from text and
/// pattern by the rules of ``TextFolding``. The cost is bounded: a pattern has at most 10,000
/// characters, and a match that takes more than about ten million steps (a few tenths of a second)
/// or exceeds ICU's stack fails with an error.
package struct RegexPattern {
    private static let lengthLimit = 10_000
    /// ICU calls the block about every ten thousand steps.
    private static let reportLimit = 1_000

    private let expression: NSRegularExpression
    private let options: ComparisonPredicate.Options
    private let pattern: String

    /// - Throws: ``QueryError`` with code `syntax` if `pattern` is not a regular expression,
    ///   `limit` if it is too long.
    package init(_ pattern: String, options: ComparisonPredicate.Options = []) throws(QueryError) {
        let options = TextFolding.effective(options)
        guard pattern.utf8.count <= Self.lengthLimit else {
            throw QueryError(.limit, "A pattern of MATCHES has at most \(Self.lengthLimit) characters")
        }
        let marks = options.subtracting(.caseInsensitive)
        let folded = TextFolding.fold(pattern, options: marks)
        let foundation: NSRegularExpression.Options = options.contains(.caseInsensitive) ? .caseInsensitive : []
        // The pattern is compiled alone first, because "a)(b" must not become valid inside the
        // group that keeps an alternation together. The group is closed on a line of its own only
        // if necessary: after a comment of a pattern in free-spacing mode.
        guard pattern.isEmpty || (try? NSRegularExpression(pattern: pattern)) != nil,
            let whole = (try? NSRegularExpression(pattern: "(?:\(folded))\\z", options: foundation))
                ?? (try? NSRegularExpression(pattern: "(?:\(folded)\n)\\z", options: foundation))
        else { throw QueryError(.syntax, "\"\(pattern)\" is not a regular expression") }
        expression = whole
        self.options = marks
        self.pattern = pattern
    }

    /// - Throws: ``QueryError`` with code `limit` if matching takes too long.
    package func matches(_ text: String) throws(QueryError) -> Bool {
        let text = options.isEmpty ? text : TextFolding.fold(text, options: options)
        var found = false
        var reports = 0
        var isGivenUp = false
        let range = NSRange(location: 0, length: text.utf16.count)
        expression.enumerateMatches(in: text, options: [.anchored, .reportProgress, .reportCompletion], range: range) {
            result, flags, stop in
            if flags.contains(.internalError) { isGivenUp = true }
            if result != nil {
                found = true
                stop.pointee = true
                return
            }
            reports += 1
            if reports > Self.reportLimit {
                isGivenUp = true
                stop.pointee = true
            }
        }
        if isGivenUp, !found {
            throw QueryError(.limit, "Matching \"\(pattern)\" takes too long on a text of \(range.length) characters")
        }
        return found
    }
}
