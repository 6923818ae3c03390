/// The table of a hierarchy as a new store defines it.
struct TableDefinition: Hashable {
    struct Column: Hashable {
        let name: String
        let type: ColumnType
    }

    let name: String
    /// The columns without `Z_PK`, `Z_ENT` and `Z_OPT`, which every table has.
    let columns: [Column]

    /// The statement that creates the table, under its own or another name.
    func statement(as other: String? = nil) -> String {
        let list = columns.map { ", \(SQLName.quoted($0.name)) \($0.type.rawValue)" }
        return
            "CREATE TABLE \(SQLName.quoted(other ?? name)) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(list.joined()) )"
    }
}

extension JoinTable {
    /// The statement that creates the table, under its own or another name.
    func statement(as other: String? = nil) -> String {
        let (owner, member) = (SQLName.quoted(ownerColumn), SQLName.quoted(memberColumn))
        let orders = [ownerOrder, memberOrder].compactMap { $0 }.map { ", \(SQLName.quoted($0)) INTEGER" }.joined()
        return
            "CREATE TABLE \(SQLName.quoted(other ?? table)) ( \(owner) INTEGER, \(member) INTEGER\(orders), PRIMARY KEY (\(owner), \(member)) )"
    }
}
