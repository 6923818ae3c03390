import Storage

/// A parent context as the store of its children: they read its objects as rows, unsaved changes included, and a save becomes edits of the parent.
///
/// It is used where the parent is used, and nowhere else.
final class ParentStore: RowStore {
    let parent: ManagedObjectContext

    init(_ parent: ManagedObjectContext) {
        self.parent = parent
    }

    func rows(_ request: RowRequest) throws -> RowBatch {
        try parent.copyRows(of: parent.objects(for: request))
    }

    func count(_ request: RowRequest) throws -> Int { try parent.objects(for: request).count }

    func answerablePart(of request: RowRequest) -> RowRequest { request.selectingMore(nil) }

    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        try parent.members(entityIndex: entityIndex, propertyIndex: propertyIndex, owners: owners, includingRows: includingRows)
    }

    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 { try parent.store().reserveKeys(entityIndex: entityIndex, count: count) }

    func apply(_ changes: ChangeSet) throws -> SaveReceipt { try parent.take(changes) }
}
