/// Caches the last compiled pattern, for patterns that are values of objects.
final class PatternCache {
    private var like: (text: String, pattern: LikePattern)?
    private var regex: (text: String, pattern: RegexPattern)?

    func like(_ text: String, _ options: ComparisonPredicate.Options) -> LikePattern {
        if let like, TextOrder.equal(like.text, text) { return like.pattern }
        let pattern = LikePattern(text, options: options)
        like = (text, pattern)
        return pattern
    }

    func regex(_ text: String, _ options: ComparisonPredicate.Options) throws(QueryError) -> RegexPattern {
        if let regex, TextOrder.equal(regex.text, text) { return regex.pattern }
        let pattern = try RegexPattern(text, options: options)
        regex = (text, pattern)
        return pattern
    }
}
