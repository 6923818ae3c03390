import Query
import Schema
import SQLiteKit

// String operators and folding. Where SQL has no exact equivalent, custom functions call those of
// Query.
extension PredicateTranslator {
    /// A text folded for comparisons with these options. Constants are folded once, here.
    func folded(_ scalar: SQLScalar, _ options: ComparisonPredicate.Options) -> SQLScalar {
        var result = scalar
        if let constant = scalar.constant, let text = ScalarRules.text(constant) {
            let folded = TextFolding.fold(text, options: options)
            result.constant = .string(folded)
            result.sql = .value(.text(folded))
        } else {
            result.sql = .sql("FolioFold(\(scalar.sql), \(value: .integer(Int64(options.rawValue))))")
        }
        result.isColumn = false
        return result
    }

    func textTest(
        _ test: ComparisonPredicate.Operator, _ text: SQLScalar, _ pattern: SQLScalar,
        _ options: ComparisonPredicate.Options,
        _ wanted: Bool
    ) throws -> SQLFragment {
        if text.isNull || pattern.isNull { return .constant(!wanted) }
        for side in [text, pattern] where !side.kind.isText { throw typeError("A \(side.kind.name) is no string") }
        let positive = positiveTextTest(test, text, pattern, TextFolding.effective(options))
        return wanted ? positive : positive.isNotTrue
    }

    private func positiveTextTest(
        _ test: ComparisonPredicate.Operator, _ text: SQLScalar, _ pattern: SQLScalar,
        _ options: ComparisonPredicate.Options
    ) -> SQLFragment {
        let flags = SQLFragment.value(.integer(Int64(options.rawValue)))
        let constant = pattern.constant.flatMap(ScalarRules.text)
        switch test {
        case .contains:
            if options.isEmpty { return .sql("instr(\(text.sql), \(pattern.sql)) > 0") }
            return .sql("FolioContains(\(text.sql), \(pattern.sql), \(flags))")
        case .beginsWith:
            if options.isEmpty, text.isColumn, let constant { return Self.hasPrefix(text.sql, constant) }
            return .sql("FolioBeginsWith(\(text.sql), \(pattern.sql), \(flags))")
        case .endsWith:
            return .sql("FolioEndsWith(\(text.sql), \(pattern.sql), \(flags))")
        case .matches:
            return .sql("FolioMatches(\(text.sql), \(pattern.sql), \(flags))")
        default:
            let like = SQLFragment.sql("FolioLike(\(text.sql), \(pattern.sql), \(flags))")
            // The text before the first wildcard is a range for which an index can be used.
            guard options.isEmpty, text.isColumn, let constant else { return like }
            let literal = String(
                String.UnicodeScalarView(constant.unicodeScalars.prefix { $0 != "*" && $0 != "?" && $0 != "\\" }))
            return literal.isEmpty ? like : .sql("(\(Self.hasPrefix(text.sql, literal)) AND \(like))")
        }
    }

    /// A prefix as a range: texts are ordered by their scalars, so texts with a common prefix are
    /// adjacent.
    private static func hasPrefix(_ column: SQLFragment, _ prefix: String) -> SQLFragment {
        if prefix.isEmpty { return .sql("\(column) IS NOT NULL") }
        guard let end = successor(of: prefix) else { return .sql("\(column) >= \(value: .text(prefix))") }
        return .sql("(\(column) >= \(value: .text(prefix)) AND \(column) < \(value: .text(end)))")
    }

    /// The smallest text greater than all texts with the prefix; nil if there is none.
    private static func successor(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return nil
    }
}
