import Query
import SQLiteKit

/// Carries a `QueryError` through SQLite, which supports only text: the code is a word before the
/// message.
struct SQLFailure: Error, CustomStringConvertible {
    private static let mark = "folio query error, "
    private static let codes: [(String, QueryError.Code)] = [
        ("limit: ", .limit), ("syntax: ", .syntax), ("type: ", .type), ("unsupported: ", .unsupported),
    ]

    private let error: QueryError

    /// Runs `body` in a SQL function.
    static func carry<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as QueryError { throw SQLFailure(error: error) }
    }

    var description: String {
        Self.mark + (Self.codes.first { $0.1 == error.code }?.0 ?? "unsupported: ") + error.message
    }

    /// The query error that a statement's error represents; nil if it is an error of the store.
    static func queryError(_ error: SQLiteError) -> QueryError? {
        if error.message.hasPrefix(mark) {
            let text = error.message.dropFirst(mark.count)
            return codes.first { text.hasPrefix($0.0) }.map { QueryError($0.1, String(text.dropFirst($0.0.count))) }
        }
        let limits = [
            "parser stack overflow", "Expression tree is too large", "too many SQL variables",
            "too many FROM clause terms", "at most 64 tables in a join", "too many columns", "too many terms",
        ]
        guard limits.contains(where: { error.message.hasPrefix($0) }) else { return nil }
        return QueryError(.unsupported, "The request is too deep or too long for SQL: \(error.message)")
    }
}
