/// How the join table of one relationship comes from what the old store had of its links.
struct LinkChange {
    /// Pairs of an owner and a member, as the naming side of the relationship sees them, in a table
    /// of the old store.
    struct Source: Hashable {
        let table: String
        let owner: String
        let member: String
        /// The member's place among the owner's members.
        let memberOrder: String?
        let ownerOrder: String?
        /// The table is a join table, and nothing but this relationship's.
        let isJoin: Bool

        /// The same pairs with the sides changed.
        var reversed: Source {
            Source(
                table: table, owner: member, member: owner, memberOrder: ownerOrder, ownerOrder: memberOrder,
                isJoin: isJoin)
        }
    }

    /// Objects of some entities, in a table of the old store.
    struct Side: Hashable {
        let table: String
        /// Nil where all rows of the table are meant.
        let numbers: [Int64]?

        func contains(_ column: String) -> String? {
            numbers.map { numbers in
                "\(column) IN (SELECT Z_PK FROM \(SQLName.quoted(table)) WHERE Z_ENT IN (\(numbers.map(String.init).joined(separator: ", "))))"
            }
        }
    }

    let join: JoinTable
    var sources: [Source] = []
    /// The objects that stand on either side.
    var owners: Side?
    var members: Side?

    /// The join table that only has to be renamed, if that is all.
    var renamedSource: Source? {
        guard sources.count == 1, let source = sources.first, source.isJoin, owners?.numbers == nil,
            members?.numbers == nil,
            (source.memberOrder == nil) == (join.memberOrder == nil),
            (source.ownerOrder == nil) == (join.ownerOrder == nil)
        else { return nil }
        return source
    }

    /// The statements that make the table anew from the old store's.
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
    /// The number of each row of a partition in the order of a column, spaced as new ones are.
    static func expression(partition: String, by column: String) -> String {
        "\(first) + \(step) * (row_number() OVER (PARTITION BY \(partition) ORDER BY \(column)) - 1)"
    }
}
