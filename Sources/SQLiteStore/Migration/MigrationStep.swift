/// One statement of a migration.
struct MigrationStep: Hashable {
    enum Kind: Hashable {
        /// Takes the same time however many rows there are.
        case schema
        /// Touches rows.
        case rows
        case index
    }

    let kind: Kind
    /// For a person to read.
    let title: String
    let statement: String
    /// The table whose rows are gone through.
    let table: String?
    /// The constraint that fails where rows violate it.
    let constraint: IndexDefinition?

    init(_ kind: Kind, _ title: String, _ statement: String, table: String? = nil, constraint: IndexDefinition? = nil) {
        self.kind = kind
        self.title = title
        self.statement = statement
        self.table = table
        self.constraint = constraint
    }
}
