package import Query

/// A request as SQL, with what SQL can't say of its predicate.
package struct TranslatedRequest: Sendable {
    package var statement: SelectStatement
    /// The part of the predicate that the statement tests, nil for none.
    package var answered: FetchPredicate?
    /// What has to hold besides, and to be asked in memory. Where there is something, the statement
    /// has no window: the request's offset and limit count the rows that are left.
    package var residual: FetchPredicate?
}
