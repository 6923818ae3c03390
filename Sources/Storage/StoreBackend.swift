package import Query
package import RowMemory
package import Schema

/// The source and target of a context's rows: a store, or the parent context of a child. Only
/// values are exchanged.
///
/// A method that throws changes nothing.
package protocol RowStore: AnyObject {
    /// The rows that a request selects.
    /// - Throws: `QueryError` with code `unsupported` if the store can't evaluate the whole
    ///   predicate.
    func rows(_ request: RowRequest) throws -> RowBatch
    /// The rows that a request selects, except that known objects are returned by key and version
    /// only.
    /// - Throws: As `rows`.
    func selection(_ request: RowRequest, known: KnownKeys) throws -> RowSelection
    /// The objects that a request selects, without their values, of a store that can tell them
    /// without reading the values; nil for others.
    func references(_ request: RowRequest) throws -> [ObjectReference]?
    /// The state of the store's content; nil if it is not known. Costs one check of the file,
    /// whatever its size.
    func state() throws -> StoreState?
    /// The number of rows that a request selects, after its offset and limit.
    func count(_ request: RowRequest) throws -> Int
    /// The part of a request that the store can execute if it can't evaluate the whole predicate: a
    /// request without offset and limit that selects at least the same rows in the same order. The
    /// caller evaluates the predicate for the rows.
    func answerablePart(of request: RowRequest) throws -> RowRequest
    /// The rows of values for the objects that a request selects. The request has no order, offset
    /// or limit; those of the table apply to its rows.
    /// - Throws: `QueryError` with code `unsupported` if the store can't compute the whole table.
    func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]]
    /// The members of a to-many relationship for each of `owners`, which are objects of the entity
    /// at `entityIndex` or its descendants.
    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch
    /// Reserves `count` primary keys permanently for new objects of an entity's hierarchy. Returns
    /// the first key; the others follow it consecutively.
    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64
    /// Whether the store can delete the members of a to-many relationship by their owners, without
    /// a list of the members.
    func deletesMembers(entityIndex: Int, propertyIndex: Int) throws -> Bool
    /// Commits all changes or none. A store is durable when this returns. The rows remain the
    /// caller's: the store does not change them and copies the ones that it keeps.
    func apply(_ changes: ChangeSet) throws -> SaveReceipt
}

extension RowStore {
    package func state() throws -> StoreState? { nil }

    package func references(_ request: RowRequest) throws -> [ObjectReference]? { nil }

    package func deletesMembers(entityIndex: Int, propertyIndex: Int) throws -> Bool { false }

    package func answerablePart(of request: RowRequest) throws -> RowRequest {
        request.selectingMore(nil)
    }

    /// The default for stores that have all rows in memory.
    package func selection(_ request: RowRequest, known: KnownKeys) throws -> RowSelection {
        RowSelection(rows: try rows(request))
    }
}

/// The interface between the object graph and store files. Every method may be called from any
/// thread; a store serializes its own work.
package protocol StoreBackend: RowStore, Sendable {
    var description: PersistentStoreDescription { get }
    /// The UUID, and the model whose entity indexes are used in all requests and rows.
    var identity: StoreIdentity { get }
    /// The layouts of the rows of the model's entities, by entity index.
    var layouts: [RowLayout] { get }

    /// What the file lacks of its model, for people: tables and columns, whose objects and values
    /// are not shown and can't be written. Empty for a complete store.
    var missingParts: [String] { get }

    func metadata() throws -> [String: MetadataValue]
    /// The number of all rows that the store keeps for a hierarchy, including those that are no
    /// objects.
    func storedRowCount(rootIndex: Int) throws -> Int
    /// What the store has that no request gives. Costs a pass over every table.
    func omissions() throws -> StoreOmissions
    /// Whether ``apply(_:beforeCommit:)`` calls its closure after writing and before the commit.
    var defersCommit: Bool { get }
    /// Commits a change set like `apply(_:)`, but calls `beforeCommit` first. If it throws, the
    /// change set is rolled back. A store that can't defer its commit calls it afterwards.
    func apply(_ changes: ChangeSet, beforeCommit: () throws -> Void) throws -> SaveReceipt
    /// Runs `body`, which fills the store with several change sets. A store that writes its file as
    /// a whole writes it once, at the end. If this throws, the store must not be used any more.
    func writingOnce(_ body: () throws -> Void) throws
    /// Whether the store supports ``applyPiece(_:)``.
    var takesPieces: Bool { get }
    /// Writes a change set without committing it. The store itself reads the changes from now on,
    /// other connections don't see them. The next `apply` commits them together with its own change
    /// set in one transaction. If a piece or that `apply` throws, all pieces are rolled back, and
    /// the store rejects further pieces until ``abandonPieces()``. Requires `takesPieces`.
    func applyPiece(_ changes: ChangeSet) throws -> SaveReceipt
    /// Rolls back the pieces that are not committed.
    func abandonPieces()
    /// A description, for people, of how the store would execute a request.
    func explanation(of request: RowRequest) throws -> QueryExplanation
    func explanation(of table: TableRequest, of request: RowRequest) throws -> QueryExplanation
    /// Releases the files. No other method may be called afterwards.
    func close() throws
}

extension StoreBackend {
    package var defersCommit: Bool { false }

    package func apply(_ changes: ChangeSet, beforeCommit: () throws -> Void) throws -> SaveReceipt {
        let receipt = try apply(changes)
        try beforeCommit()
        return receipt
    }

    package func writingOnce(_ body: () throws -> Void) throws { try body() }

    package var takesPieces: Bool { false }

    package func applyPiece(_ changes: ChangeSet) throws -> SaveReceipt {
        preconditionFailure("This store takes no pieces: ask takesPieces first")
    }

    package func abandonPieces() {}
}

/// How a store executes a request.
package struct QueryExplanation: Sendable, Hashable {
    package var statement: String
    package var arguments: [String]
    package var plan: [String]

    package init(statement: String, arguments: [String], plan: [String]) {
        self.statement = statement
        self.arguments = arguments
        self.plan = plan
    }
}

extension StoreBackend {
    package func storedRowCount(rootIndex: Int) throws -> Int {
        guard rootIndex < layouts.count else { return 0 }
        return try count(RowRequest(entityIndex: rootIndex))
    }

    package func omissions() throws -> StoreOmissions { StoreOmissions() }
    package var missingParts: [String] { [] }
}
