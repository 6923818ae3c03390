extension QueryError {
    /// Gives the errors of `body` their type. Recursive code lets errors travel boxed: a typed
    /// error of this size would take kilobytes of stack at every level.
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
