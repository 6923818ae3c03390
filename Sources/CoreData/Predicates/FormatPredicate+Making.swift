import Foundation
import Query

extension FormatPredicate {
    static func make(_ format: String, _ arguments: [Any?]) -> NSPredicate {
        do {
            return make(try FetchPredicate(format: format, arguments: PlaceholderValue.arguments(arguments)))
        } catch {
            preconditionFailure("Unable to parse the format string \"\(format)\": \(error)")
        }
    }

    static func make(_ predicate: FetchPredicate) -> NSPredicate {
        switch predicate {
        case .constant: FormatPredicate(predicate)
        case .not(let inner): FormatCompoundPredicate(type: .not, subpredicates: [make(inner)])
        case .and(let parts): FormatCompoundPredicate(type: .and, subpredicates: parts.map(make))
        case .or(let parts): FormatCompoundPredicate(type: .or, subpredicates: parts.map(make))
        case .comparison(let comparison): NSComparisonPredicate(comparison)
        }
    }
}
