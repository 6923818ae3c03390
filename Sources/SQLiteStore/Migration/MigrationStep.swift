/// One statement of a migration.
struct MigrationStep: Hashable {
    enum Kind: Hashable {
        /// Takes constant time, independent of the number of rows.
        case schema
        /// Reads or writes rows.
        case rows
        case index
    }

    let kind: Kind
    /// A description for display.
    let title: String
    let statement: String
    /// The table whose rows are processed.
    let table: String?
    /// The constraint whose violation makes the step fail.
    let constraint: IndexDefinition?

    init(_ kind: Kind, _ title: String, _ statement: String, table: String? = nil, constraint: IndexDefinition? = nil) {
        self.kind = kind
        self.title = title
        self.statement = statement
        self.table = table
        self.constraint = constraint
    }
}
