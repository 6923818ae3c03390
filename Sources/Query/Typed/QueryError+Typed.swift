extension QueryError {
    /// Converts the errors that `body` throws to `QueryError`. Recursive code throws untyped
    /// errors, because a typed error of this size would take kilobytes of stack at every level.
    static func typed<Result>(_ body: () throws -> Result) throws(QueryError) -> Result {
        do {
            return try body()
        } catch let error as QueryError {
            throw error
        } catch {
            throw QueryError(.unsupported, "\(error)")
        }
    }
}
