package import RowMemory

/// All changes of one save, as values. The store needs no other input and makes no callbacks.
package struct ChangeSet: Sendable {
    /// New objects of one entity. The store assigns primary keys to rows with negative keys, in
    /// this order.
    package struct Insertions: Sendable {
        package var entityIndex: Int
        package var rows: RowBatch

        package init(entityIndex: Int, rows: RowBatch) {
            self.entityIndex = entityIndex
            self.rows = rows
        }
    }

    /// Changed objects of one entity. The version of a row is the version that was read. The store
    /// must still have this version, and increments it.
    package struct Updates: Sendable {
        package var entityIndex: Int
        /// The complete rows with the new values.
        package var rows: RowBatch
        /// For each row, the properties whose columns change. Empty if only the version is
        /// incremented, because a to-many relationship changed.
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

    /// A deletion of all objects that refer to one of the owners through the inverse of a to-many
    /// relationship. Only for relationships for which the store returns true from `deletesMembers`.
    package struct MemberDeletion: Sendable {
        /// The entity of the owners, and the index of their relationship.
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

    /// An added or removed link of a many-to-many relationship. Each link occurs from one side
    /// only.
    package struct Link: Sendable {
        /// The entity of `owner`, and the index of its relationship.
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

    /// The members of an ordered relationship in their new order, after all link and to-one changes
    /// of this change set have been applied.
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

    /// The inserted rows. Negative keys in rows, links and orders are the temporary keys of these
    /// rows.
    package var insertions: [Insertions] = []
    package var updates: [Updates] = []
    package var deletions: [Deletion] = []
    package var memberDeletions: [MemberDeletion] = []
    package var links: [Link] = []
    package var orders: [Order] = []
    /// Metadata to set (or, with nil, to remove) in the same transaction.
    package var metadata: [String: MetadataValue?] = [:]

    /// The UUIDs of the stores that new objects are assigned to, by temporary key. The coordinator
    /// uses them to divide the change set among several stores.
    package var stores: [Int64: String] = [:]

    /// Whether inserted rows keep their versions, as in a copy of a store. Otherwise they begin
    /// with 1.
    package var keepsVersions = false

    /// The author of the changes, for stores that record a history.
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

/// The result of committing a change set.
package struct SaveReceipt: Sendable {
    /// The primary keys of the rows of each insertion, in order. Inserted rows have version 1,
    /// updated rows the version that was read plus one.
    package var keys: [[Int64]]
    /// The stored rows of objects whose derived values the save has changed. A changed derived
    /// value alone does not increment the version.
    package var derived: RowBatch
    /// The number of objects that each member deletion has deleted.
    package var deletedMembers: [Int] = []

    package init(keys: [[Int64]], derived: RowBatch = RowBatch()) {
        self.keys = keys
        self.derived = derived
    }
}
