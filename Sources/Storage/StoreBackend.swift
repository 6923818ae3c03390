package import Query
package import RowMemory
package import Schema

/// What a context reads from and saves to: a store, or for a child its parent. Values up, values
/// down.
///
/// Nothing is changed by a method that throws.
package protocol RowStore: AnyObject {
    /// The rows that a request selects.
    /// - Throws: `QueryError` with code `unsupported` where the store can't test all of the
    ///   predicate.
    func rows(_ request: RowRequest) throws -> RowBatch
    /// The rows that a request selects, but for those of known objects, of which it names number
    /// and version alone.
    /// - Throws: as `rows`.
    func selection(_ request: RowRequest, known: KnownKeys) throws -> RowSelection
    /// The state that the store is in, nil where it can't tell. Costs a look at the file, whatever
    /// its size.
    func state() throws -> StoreState?
    /// How many rows a request selects, its offset and limit applied.
    func count(_ request: RowRequest) throws -> Int
    /// What the store can answer of a request whose predicate it can't test as a whole: a request
    /// without a window that selects at least the same rows, in the same order. The caller tests
    /// the predicate on them.
    func answerablePart(of request: RowRequest) throws -> RowRequest
    /// Rows of values made of the objects that a request selects. The request has neither an order
    /// nor a window: the table's are over its rows.
    /// - Throws: `QueryError` with code `unsupported` where the store can't say all of it.
    func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]]
    /// The members of a to-many relationship for each of `owners`, which are objects of the entity
    /// at `entityIndex` or its descendants.
    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch
    /// Reserves `count` numbers for new objects of an entity's hierarchy, for good. Returns the
    /// first; the others follow it.
    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64
    /// Whether the store can delete the members of a to-many relationship by their owners, without
    /// having been told of each.
    func deletesMembers(entityIndex: Int, propertyIndex: Int) throws -> Bool
    /// Commits a change set: all of it or nothing. A store is durable when it returns. The rows are
    /// lent to it: it changes none of them, and copies those that it keeps.
    func apply(_ changes: ChangeSet) throws -> SaveReceipt
}

extension RowStore {
    package func state() throws -> StoreState? { nil }

    package func deletesMembers(entityIndex: Int, propertyIndex: Int) throws -> Bool { false }

    package func answerablePart(of request: RowRequest) throws -> RowRequest {
        request.selectingMore(nil)
    }

    /// For stores that have all rows at hand anyway.
    package func selection(_ request: RowRequest, known: KnownKeys) throws -> RowSelection {
        RowSelection(rows: try rows(request))
    }
}

/// The seam between objects and files. Every method may be called from any thread; a store
/// serializes its own work.
package protocol StoreBackend: RowStore, Sendable {
    var description: PersistentStoreDescription { get }
    /// The UUID, and the model whose entity positions every request and row uses.
    var identity: StoreIdentity { get }
    /// The layouts of the model's entities, by position: those of the rows that go either way.
    var layouts: [RowLayout] { get }

    func metadata() throws -> [String: MetadataValue]
    /// Whether ``apply(_:beforeCommit:)`` runs its closure when everything is written and nothing
    /// is committed.
    var defersCommit: Bool { get }
    /// Commits a change set like `apply(_:)`, but runs `beforeCommit` first; what that throws
    /// undoes the change set. A store that can't put its commit off runs it afterwards.
    func apply(_ changes: ChangeSet, beforeCommit: () throws -> Void) throws -> SaveReceipt
    /// Runs `body`, which fills the store by many change sets; a store that writes its file as a
    /// whole does so once, when it ends. If this throws, give the store up.
    func writingOnce(_ body: () throws -> Void) throws
    /// Whether the store takes change sets in pieces: see ``applyPiece(_:)``.
    var takesPieces: Bool { get }
    /// Writes a change set without committing it. This store reads it from here on, others don't
    /// see it; the next `apply` commits it along with its own change set, in one transaction. What
    /// a piece or that `apply` throws undoes all pieces, and the store refuses further ones until
    /// ``abandonPieces()``. Only for a store that `takesPieces`.
    func applyPiece(_ changes: ChangeSet) throws -> SaveReceipt
    /// Undoes the pieces that are not committed.
    func abandonPieces()
    /// How the store would run a request: for a person to read.
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

/// How a store runs a request.
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
