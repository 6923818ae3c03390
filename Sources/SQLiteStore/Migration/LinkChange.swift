/// The origin of one relationship's join table in the old store.
struct LinkChange {
    /// Pairs of an owner and a member in a table of the old store, as seen from the relationship
    /// that names the join table.
    struct Source: Hashable {
        let table: String
        let owner: String
        let member: String
        /// The member's position among the owner's members.
        let memberOrder: String?
        let ownerOrder: String?
        /// Whether the table is a join table that only this relationship uses.
        let isJoin: Bool

        /// The same pairs with the sides swapped.
        var reversed: Source {
            Source(
                table: table, owner: member, member: owner, memberOrder: ownerOrder, ownerOrder: memberOrder,
                isJoin: isJoin)
        }
    }

    /// Objects of some entities in a table of the old store.
    struct Side: Hashable {
        let table: String
        /// The entities' numbers; nil includes all rows of the table.
        let numbers: [Int64]?

        func contains(_ column: String) -> String? {
            numbers.map { numbers in
                "\(column) IN (SELECT Z_PK FROM \(SQLName.quoted(table)) WHERE Z_ENT IN (\(numbers.map(String.init).joined(separator: ", "))))"
            }
        }
    }

    let join: JoinTable
    var sources: [Source] = []
    /// The objects on either side.
    var owners: Side?
    var members: Side?

    /// The old join table, if renaming it is sufficient.
    var renamedSource: Source? {
        guard sources.count == 1, let source = sources.first, source.isJoin, owners?.numbers == nil,
            members?.numbers == nil,
            (source.memberOrder == nil) == (join.memberOrder == nil),
            (source.ownerOrder == nil) == (join.ownerOrder == nil)
        else { return nil }
        return source
    }

    /// The statements that create the table and copy the pairs from the old store's tables.
    func rebuilding(as name: String) -> [MigrationStep] {
        [MigrationStep(.schema, "create the table \(join.table)", join.statement(as: name))]
            + sources.map { source in
                MigrationStep(
                    .rows, "copy links from \(source.table) to \(join.table)", copy(of: source, into: name),
                    table: source.table)
            }
    }

    private func copy(of source: Source, into name: String) -> String {
        let (owner, member) = (SQLName.quoted(source.owner), SQLName.quoted(source.member))
        var columns = [SQLName.quoted(join.ownerColumn), SQLName.quoted(join.memberColumn)], values = [owner, member]
        func add(_ order: String?, from former: String?, by partition: String, _ element: String) {
            guard let order else { return }
            columns.append(SQLName.quoted(order))
            values.append(former.map(SQLName.quoted) ?? OrderNumbers.expression(partition: partition, by: element))
        }
        add(join.memberOrder, from: source.memberOrder, by: owner, member)
        add(join.ownerOrder, from: source.ownerOrder, by: member, owner)
        let conditions =
            ["\(owner) IS NOT NULL", "\(member) IS NOT NULL"]
            + [owners?.contains(owner), members?.contains(member)].compactMap { $0 }
        return
            "INSERT OR IGNORE INTO \(SQLName.quoted(name)) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) "
            + "FROM \(SQLName.quoted(source.table)) WHERE \(conditions.joined(separator: " AND "))"
    }
}

extension OrderNumbers {
    /// The order number of each row of a partition, sorted by a column and spaced like new order
    /// numbers.
    static func expression(partition: String, by column: String) -> String {
        "\(first) + \(step) * (row_number() OVER (PARTITION BY \(partition) ORDER BY \(column)) - 1)"
    }
}
