package import Storage

extension SQLitePersistentStore: BatchStore {
    package func update(_ update: BatchUpdate, origin: ChangeOrigin) throws -> BatchReceipt {
        let receipt = try withSession { session in try session.batch.update(update, origin) }
        tellMemoryCommit()
        return receipt
    }

    package func delete(_ request: RowRequest, origin: ChangeOrigin) throws -> BatchReceipt {
        let receipt = try withSession { session in try session.batch.delete(request, origin) }
        tellMemoryCommit()
        return receipt
    }
}
