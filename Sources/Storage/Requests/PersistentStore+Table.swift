package import Query
package import Schema

extension RowStore {
    /// Stores that make no rows of values leave it to the caller, who has the objects.
    package func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        throw QueryError(.unsupported, "This store makes no rows of values")
    }
}

extension StoreBackend {
    package func explanation(of table: TableRequest, of request: RowRequest) throws -> QueryExplanation {
        try explanation(of: request)
    }
}
