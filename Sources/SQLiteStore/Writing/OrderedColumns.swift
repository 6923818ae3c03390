/// The table and columns that store the order of a relationship.
struct OrderedColumns: Hashable {
    let table: String
    let owner: String
    /// `Z_PK` if the members' rows have the owner's key.
    let member: String
    let order: String

    init(_ key: ToManyKey, order: String) {
        (table, owner, member, self.order) = (key.table, key.key, "Z_PK", order)
    }

    init(table: String, _ toOne: ToOneColumns, order: String) {
        (self.table, owner, member, self.order) = (table, toOne.key, "Z_PK", order)
    }

    init(_ join: JoinTable, order: String) {
        (table, owner, member, self.order) = (join.table, join.ownerColumn, join.memberColumn, order)
    }
}

/// An owner and its member, by their primary keys.
struct OrderedPair: Hashable {
    let owner: Int64
    let member: Int64
}
