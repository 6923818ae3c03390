package import RowMemory

/// Everything that one save changes, as values: the store needs nothing else and calls nobody.
package struct ChangeSet: Sendable {
    /// New objects of one entity. Rows with negative keys get their numbers from the store, in this
    /// order.
    package struct Insertions: Sendable {
        package var entityIndex: Int
        package var rows: RowBatch

        package init(entityIndex: Int, rows: RowBatch) {
            self.entityIndex = entityIndex
            self.rows = rows
        }
    }

    /// Changed objects of one entity. A row's version is the one that was read; the store must
    /// still have it and raises it by one.
    package struct Updates: Sendable {
        package var entityIndex: Int
        /// Whole rows as they are to be.
        package var rows: RowBatch
        /// For each row the properties whose columns change; empty where only the version rises (a
        /// to-many relationship changed).
        package var changed: [PropertySet]

        package init(entityIndex: Int, rows: RowBatch = RowBatch(), changed: [PropertySet] = []) {
            self.entityIndex = entityIndex
            self.rows = rows
            self.changed = changed
        }
    }

    package struct Deletion: Sendable {
        package var entityIndex: Int
        package var key: Int64
        /// The version that was read; the store must still have it.
        package var version: Int64

        package init(entityIndex: Int, key: Int64, version: Int64) {
            self.entityIndex = entityIndex
            self.key = key
            self.version = version
        }
    }

    /// All objects that lead to one of some owners by the inverse of a to-many relationship. Only
    /// for relationships of which the store says that it `deletesMembers`.
    package struct MemberDeletion: Sendable {
        /// The entity and place of the relationship that the owners have.
        package var entityIndex: Int
        package var propertyIndex: Int
        package var destinationIndex: Int
        package var owners: [Int64]

        package init(entityIndex: Int, propertyIndex: Int, destinationIndex: Int, owners: [Int64]) {
            self.entityIndex = entityIndex
            self.propertyIndex = propertyIndex
            self.destinationIndex = destinationIndex
            self.owners = owners
        }
    }

    /// A link of a many-to-many relationship that comes or goes. Each link is named from one side
    /// only.
    package struct Link: Sendable {
        /// The entity and place of the relationship that `owner` has.
        package var entityIndex: Int
        package var propertyIndex: Int
        package var owner: Int64
        package var member: ObjectReference
        package var isAdded: Bool

        package init(entityIndex: Int, propertyIndex: Int, owner: Int64, member: ObjectReference, isAdded: Bool) {
            self.entityIndex = entityIndex
            self.propertyIndex = propertyIndex
            self.owner = owner
            self.member = member
            self.isAdded = isAdded
        }
    }

    /// The members of an ordered relationship in their new order, after all links and to-one
    /// changes of this change set.
    package struct Order: Sendable {
        package var entityIndex: Int
        package var propertyIndex: Int
        package var owner: Int64
        package var members: [ObjectReference]

        package init(entityIndex: Int, propertyIndex: Int, owner: Int64, members: [ObjectReference]) {
            self.entityIndex = entityIndex
            self.propertyIndex = propertyIndex
            self.owner = owner
            self.members = members
        }
    }

    /// Keys in rows, links and orders that are negative name rows of `insertions` by their
    /// temporary keys.
    package var insertions: [Insertions] = []
    package var updates: [Updates] = []
    package var deletions: [Deletion] = []
    package var memberDeletions: [MemberDeletion] = []
    package var links: [Link] = []
    package var orders: [Order] = []
    /// Metadata to set (or, with nil, to remove) in the same transaction.
    package var metadata: [String: MetadataValue?] = [:]

    /// The UUIDs of the stores that new objects were assigned to, by their temporary keys. For who
    /// divides the change set among several stores.
    package var stores: [Int64: String] = [:]

    /// Who makes the changes, for stores that keep a history.
    package var origin = ChangeOrigin()

    package init() {}

    package var changesObjects: Bool {
        !insertions.isEmpty || !updates.isEmpty || !deletions.isEmpty || !memberDeletions.isEmpty
    }

    package var isEmpty: Bool {
        insertions.isEmpty && updates.isEmpty && deletions.isEmpty && memberDeletions.isEmpty && links.isEmpty
            && orders.isEmpty && metadata.isEmpty
    }
}

/// What a store says when a change set is committed.
package struct SaveReceipt: Sendable {
    /// For each of the insertions the keys of its rows, in order. Inserted rows have version 1,
    /// updated ones the version that was read plus one.
    package var keys: [[Int64]]
    /// The rows, as they stand in the store, of objects whose derived values the save has changed;
    /// their versions rise only by changes of their own.
    package var derived: RowBatch
    /// For each of the member deletions how many objects it deleted.
    package var deletedMembers: [Int] = []

    package init(keys: [[Int64]], derived: RowBatch = RowBatch()) {
        self.keys = keys
        self.derived = derived
    }
}
