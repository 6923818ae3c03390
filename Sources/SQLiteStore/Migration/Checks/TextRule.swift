import Query
import SQLiteKit

/// A SQL function that tells whether a text breaks a rule: its arguments are the text, the least
/// and the greatest length in UTF-16 code units, and a pattern, each of them NULL for none.
enum TextRule {
    static let function = "folio_breaks_rule"

    /// The last pattern, compiled. It belongs to one connection.
    private final class Patterns {
        var pattern = ""
        var compiled: RegexPattern?
    }

    static func register(on connection: Connection) throws {
        let patterns = Patterns()
        try connection.register(function: function, argumentCount: 4, flags: [.deterministic, .directOnly]) {
            arguments, result in
            result.set(Int64(0))
            guard arguments[0].storageClass == .text else { return }
            let pattern = arguments[3].isNull ? nil : arguments[3].text
            let demand = ValueDemand.string(
                shortest: arguments[1].isNull ? nil : Int(arguments[1].int64),
                longest: arguments[2].isNull ? nil : Int(arguments[2].int64), pattern: pattern)
            if let pattern, pattern != patterns.pattern { (patterns.pattern, patterns.compiled) = (pattern, nil) }
            if demand.violation(of: arguments[0].text, &patterns.compiled) != nil { result.set(Int64(1)) }
        }
    }
}
