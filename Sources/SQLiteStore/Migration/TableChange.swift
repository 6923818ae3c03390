/// The origin of one table of the new version in a table of the old version.
struct TableChange {
    /// The rows of one entity.
    struct Rows {
        let sourceNumber: Int64
        let number: Int64
        /// The origins of the entity's cells, by `SQLName.key` of the column in the new table.
        var cells: [String: CellOrigin]
        /// The keys of the columns that the former entity had. Other columns have no values in
        /// these rows.
        let formerColumns: Set<String>
    }

    let definition: TableDefinition
    /// Nil if all entities of the table are new.
    let source: StoredTable?
    /// Whether the old table has rows of several entities, distinguished by `Z_ENT`.
    let sourceIsShared: Bool
    var rows: [Rows] = []
    /// Numbers of entities of the old table whose rows are not taken.
    var leftOut: [Int64] = []
    /// The name of the hierarchy whose rows the table has.
    let entity: String
    /// Whether another new table takes rows from the same old table.
    var sharesSource = false

    init(_ definition: TableDefinition, of entity: String, source: StoredTable?, sourceIsShared: Bool) {
        self.definition = definition
        self.entity = entity
        self.source = source
        self.sourceIsShared = sourceIsShared
    }

    /// The changed entity numbers, as pairs of old and new.
    var renumbering: [(from: Int64, to: Int64)] {
        rows.filter { $0.sourceNumber != $0.number }.map { ($0.sourceNumber, $0.number) }
    }

    /// A `CASE Z_ENT …` expression, or the one expression that all rows share.
    func expression(_ value: (Rows) -> String?) -> String {
        let values = rows.map { (number: $0.sourceNumber, expression: value($0)) }
        let distinct = Set(values.map(\.expression))
        if distinct.count == 1, let only = values.first?.expression { return only }
        let branches = values.compactMap { item in item.expression.map { "WHEN \(item.number) THEN \($0)" } }
        return branches.isEmpty ? "NULL" : "CASE Z_ENT \(branches.joined(separator: " ")) END"
    }

    /// The new `Z_ENT`.
    var numberExpression: String {
        renumbering.isEmpty ? "Z_ENT" : sourceIsShared ? expression { String($0.number) } : String(rows[0].number)
    }
}

extension TableChange {
    /// The source expression for a column of the new table, for all its entities.
    func cellExpression(_ column: TableDefinition.Column) -> String {
        let key = SQLName.key(column.name)
        // If the other entities have no values in the column, it can be used unchanged.
        if let owner = rows.first(where: { $0.cells[key] != nil }), case .column(let name) = owner.cells[key],
            rows.allSatisfy({
                $0.cells[key] == owner.cells[key]
                    || ($0.cells[key] == nil && !$0.formerColumns.contains(SQLName.key(name)))
            })
        {
            return SQLName.quoted(name)
        }
        return expression { $0.cells[key]?.expression }
    }

    /// The statements that create the new table and copy the rows once.
    func rebuilding(as name: String) -> [MigrationStep] {
        let create = MigrationStep(.schema, "create the table \(definition.name)", definition.statement(as: name))
        guard let source, !rows.isEmpty else { return [create] }
        let columns = definition.columns.map { ($0, cellExpression($0)) }.filter { $0.1 != "NULL" }
        let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map { SQLName.quoted($0.0.name) }).joined(separator: ", ")
        let values = (["Z_PK", numberExpression, "Z_OPT"] + columns.map(\.1)).joined(separator: ", ")
        let condition =
            sourceIsShared ? "Z_ENT IN (\(rows.map { String($0.sourceNumber) }.joined(separator: ", ")))" : nil
        return [
            create,
            MigrationStep(
                .rows, "copy rows from \(source.name) to \(definition.name)",
                "INSERT INTO \(SQLName.quoted(name)) (\(names)) SELECT \(values) FROM \(SQLName.quoted(source.name))\(condition.map { " WHERE \($0)" } ?? "") ORDER BY Z_PK",
                table: source.name,
                copied: CopiedRows(
                    table: source.name, entity: entity, condition: condition, leftOut: sourceIsShared ? leftOut : [])),
        ]
    }
}
