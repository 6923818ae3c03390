/// An index of a store.
struct IndexDefinition: Hashable {
    struct Column: Hashable {
        let name: String
        /// `ASC` or `DESC` as spelled in the definition; nil means ascending.
        let direction: String?

        var isDescending: Bool { direction == "DESC" }
    }

    /// The uniqueness constraint that the index enforces.
    struct Constraint: Hashable {
        let entity: String
        let attributes: [String]
    }

    let name: String
    let table: String
    let columns: [Column]
    let constraint: Constraint?

    func renamed(_ name: String) -> IndexDefinition {
        IndexDefinition(name: name, table: table, columns: columns, constraint: constraint)
    }

    var statement: String {
        let list = columns.map { SQLName.quoted($0.name) + ($0.direction.map { " COLLATE BINARY \($0)" } ?? "") }
            .joined(separator: ", ")
        return
            "CREATE \(constraint == nil ? "" : "UNIQUE ")INDEX \(SQLName.quoted(name)) ON \(SQLName.quoted(table)) (\(list))"
    }
}
