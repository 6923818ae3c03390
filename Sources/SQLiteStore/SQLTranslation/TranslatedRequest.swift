package import Query

/// A request as SQL, with the part of its predicate that SQL can't express.
package struct TranslatedRequest: Sendable {
    package var statement: SelectStatement
    /// The part of the predicate that the statement tests; nil if there is none.
    package var answered: FetchPredicate?
    /// The part of the predicate that must be tested in memory. If there is one, the statement has
    /// no offset and limit: the request's offset and limit apply to the remaining rows.
    package var residual: FetchPredicate?
}
