package import Query
package import Schema

extension RowStore {
    /// The default for stores that do not compute rows of values. The caller computes them from the
    /// objects.
    package func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        throw QueryError(.unsupported, "This store makes no rows of values")
    }
}

extension StoreBackend {
    package func explanation(of table: TableRequest, of request: RowRequest) throws -> QueryExplanation {
        try explanation(of: request)
    }
}
