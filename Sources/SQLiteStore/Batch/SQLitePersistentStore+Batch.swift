package import Storage

extension SQLitePersistentStore: BatchStore {
    package func update(_ update: BatchUpdate) throws -> BatchReceipt {
        try withSession { session in try session.update(update) }
    }

    package func delete(_ request: RowRequest) throws -> BatchReceipt {
        try withSession { session in try session.delete(request) }
    }
}
