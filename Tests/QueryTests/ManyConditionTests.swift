import Foundation
import Query
import Schema
import Testing

/// Thousands of conditions in one predicate.
struct ManyConditionTests {
    private static let count = 8_000

    private func predicate(_ separator: String, _ condition: (Int) -> String) throws -> FetchPredicate {
        try FetchPredicate(format: (0..<Self.count).map(condition).joined(separator: separator))
    }

    @Test func chainsAreParsedPrintedAndTested() throws {
        let any = try predicate(" OR ") { "SELF == \($0)" }
        guard case .or(let parts) = any else { Issue.record("no chain"); return }
        #expect(parts.count == Self.count)
        #expect(try FetchPredicate(format: any.predicateFormat) == any)
        #expect(try any.evaluate(with: .int(7_999)))
        #expect(try !any.evaluate(with: .int(8_000)))
        let all = try predicate(" AND ") { "SELF != \($0)" }
        #expect(try FetchPredicate(format: all.predicateFormat) == all)
        #expect(try all.evaluate(with: .int(8_000)))
        #expect(try !all.evaluate(with: .int(0)))
    }
}
