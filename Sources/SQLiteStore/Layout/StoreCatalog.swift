/// The tables, columns and entities found in a store's file, without reference to a model.
package struct StoreCatalog: Sendable, Hashable {
    package struct Table: Sendable, Hashable {
        package var name: String
        package var columns: [String]
        private let columnByKey: [String: String]

        package init(name: String, columns: [String]) {
            self.name = name
            self.columns = columns
            columnByKey = Dictionary(columns.map { (SQLName.key($0), $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// The column's name as spelled in the table; nil if there is no such column.
        package func column(_ name: String) -> String? { columnByKey[SQLName.key(name)] }
    }

    /// A row of `Z_PRIMARYKEY`.
    package struct NumberedEntity: Sendable, Hashable {
        package var number: Int64
        package var name: String
        /// The number of the parent; 0 for roots.
        package var parent: Int64

        package init(number: Int64, name: String, parent: Int64) {
            self.number = number
            self.name = name
            self.parent = parent
        }
    }

    package struct Trigger: Sendable, Hashable {
        package var name: String
        package var statement: String

        package init(name: String, statement: String) {
            self.name = name
            self.statement = statement
        }
    }

    package var entities: [NumberedEntity]
    package var triggers: [Trigger]
    /// The definitions of full-text indexes and R-trees, by name.
    package var sideIndexes: [String: String]
    private var tableByKey: [String: Table]

    package init(
        tables: [Table], entities: [NumberedEntity], triggers: [Trigger] = [], sideIndexes: [String: String] = [:]
    ) {
        self.entities = entities
        self.sideIndexes = sideIndexes
        self.triggers = triggers
        tableByKey = Dictionary(tables.map { (SQLName.key($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    package func table(_ name: String) -> Table? { tableByKey[SQLName.key(name)] }
    package var tables: some Collection<Table> { tableByKey.values }
}
