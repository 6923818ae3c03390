import Folio

extension SQLHabits {
    /// Prints notes on standard error about conditions that have another meaning than in SQL.
    /// Invalid predicates are reported elsewhere.
    static func note(_ arguments: ParsedArguments, _ console: Console) {
        for text in arguments.all("--where") + arguments.all("--having") {
            guard let predicate = try? FetchPredicate(format: text) else { continue }
            for note in notes(on: predicate) { console.say("note: " + Printable.line(note)) }
        }
    }

    /// Prints notes about dates that `--where` compares with the number of a year, which means
    /// seconds.
    static func noteYears(
        _ arguments: ParsedArguments, of entity: EntityDescription?, in model: ManagedObjectModel, _ console: Console
    ) {
        guard let entity else { return }
        for text in arguments.all("--where") {
            guard let predicate = try? FetchPredicate(format: text) else { continue }
            for comparison in comparisons(in: predicate) {
                guard let note = noteOnYear(comparison, entity, model) else { continue }
                console.say("note: " + Printable.line(note))
            }
        }
    }

    /// Notes about suspicious parts of a predicate.
    static func notes(on predicate: FetchPredicate) -> [String] {
        comparisons(in: predicate).flatMap { notes(on: $0) }
    }

    /// All comparisons of a predicate, in the order of its text.
    private static func comparisons(in predicate: FetchPredicate) -> [ComparisonPredicate] {
        switch predicate {
        case .constant: []
        case .not(let inner): comparisons(in: inner)
        case .and(let parts), .or(let parts): parts.flatMap { comparisons(in: $0) }
        case .comparison(let comparison):
            [comparison] + comparisons(in: comparison.left) + comparisons(in: comparison.right)
        }
    }

    private static func comparisons(in expression: QueryExpression) -> [ComparisonPredicate] {
        switch expression {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): comparisons(in: predicate)
        case .keyPath(let base?, _): comparisons(in: base)
        case .function(_, let arguments): arguments.flatMap { comparisons(in: $0) }
        default: []
        }
    }

    private static func noteOnYear(
        _ comparison: ComparisonPredicate, _ entity: EntityDescription, _ model: ManagedObjectModel
    ) -> String? {
        guard case .keyPath(nil, let keys) = comparison.left, case .constant(.int(let year)) = comparison.right,
            1...9999 ~= year, case let key = keys.joined(separator: "."),
            (try? EntityLookup.attribute(atKeyPath: key, of: entity, in: model))?.type == .date,
            let sign = "\(FetchPredicate.comparison(comparison))".firstMatch(of: /([<>=!]+) *\d+$/)?.1
        else { return nil }
        return "\(key) is a date, and a number means seconds since 2001: "
            + instead(ofYear: String(year), key, String(sign))
    }

    private static func notes(on comparison: ComparisonPredicate) -> [String] {
        if case .constant(.string(let left)) = comparison.left, case .constant = comparison.right {
            return ["\"\(left)\" is text, not a key: keys stand without quotes"]
        }
        guard case .constant(.string(let text)) = comparison.right else { return [] }
        switch comparison.operator {
        case .like where text.contains("%") && !text.contains(where: { $0 == "*" || $0 == "?" }):
            return ["LIKE looks for the sign % itself: write \(likeInstead(of: text))"]
        case .contains where text.count > 2 && isWildcard(text.first) && isWildcard(text.last):
            return [
                "CONTAINS looks for the text as it is, \(text.prefix(1)) included: write CONTAINS \"\(text.dropFirst().dropLast())\""
            ]
        default: return []
        }
    }

    private static func isWildcard(_ character: Character?) -> Bool { character == "%" || character == "*" }

    /// The comparison that is equivalent to a LIKE pattern of SQL.
    private static func likeInstead(of pattern: String) -> String {
        let core = pattern.drop { $0 == "%" }
        guard let end = core.lastIndex(where: { $0 != "%" }) else { return "!= nil" }
        let inner = core[...end], isOpen = (before: pattern.first == "%", behind: pattern.last == "%")
        let like = "LIKE \"" + pattern.map { $0 == "%" ? "*" : $0 == "_" ? "?" : String($0) }.joined() + "\""
        guard !inner.contains(where: { $0 == "%" || $0 == "_" }) else { return like }
        switch isOpen {
        case (true, true): return "CONTAINS \"\(inner)\", or \(like)"
        case (false, true): return "BEGINSWITH \"\(inner)\", or \(like)"
        case (true, false): return "ENDSWITH \"\(inner)\", or \(like)"
        case (false, false): return like
        }
    }
}
