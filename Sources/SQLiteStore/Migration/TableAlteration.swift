/// Changes a table in place, by `ALTER TABLE` and at most one update of its rows.
///
/// Possible if all rows stay in one table and no column changes its declared type.
struct TableAlteration {
    private let change: TableChange
    private let source: StoredTable
    private var table: String { SQLName.quoted(source.name) }
    /// The new columns that reuse an old column: the old key by the new key.
    private var moved: [String: String] = [:]
    /// New columns, with the constant value of all rows, if there is one.
    private var added: [(column: TableDefinition.Column, literal: String?)] = []
    /// The assignments of the update: a column, by its name at that time, and a value.
    private var assignments: [(column: String, value: String)] = []
    /// Old columns whose NULLs must be replaced.
    private var repairs: [(column: String, value: String, condition: String)] = []
    /// Old columns with values of entities that no longer have the attribute.
    private var strays: [(column: String, numbers: String)] = []
    private var dropped: [String] = []

    /// Nil if the table must be rebuilt, or if rebuilding is cheaper.
    init?(_ change: TableChange) {
        guard let source = change.source, !change.sharesSource, !change.rows.isEmpty else { return nil }
        self.change = change
        self.source = source
        for column in change.definition.columns where !place(column) { return nil }
        let claimed = Set(moved.values)
        dropped = source.columns.filter {
            !["Z_PK", "Z_ENT", "Z_OPT"].contains(SQLName.key($0)) && !claimed.contains(SQLName.key($0))
        }
        // The update and every dropped column need a pass over all rows. A copy costs about two and
        // a half passes.
        let passes = dropped.count + (assignments.isEmpty && change.renumbering.isEmpty ? 0 : 1)
        if passes > 2 { return nil }
    }

    private mutating func place(_ column: TableDefinition.Column) -> Bool {
        let key = SQLName.key(column.name)
        let owners = change.rows.filter { $0.cells[key] != nil }
        let origins = Set(owners.compactMap { $0.cells[key] })
        let columns = Set(origins.map(\.columnKey))
        if origins.allSatisfy(\.isColumn), columns.count == 1, let former = columns.first ?? nil,
            !moved.values.contains(former)
        {
            guard source.types[former] == column.type.rawValue else { return false }
            moved[key] = former
            for rows in owners {
                guard case .columnOr(let name, let literal) = rows.cells[key] else { continue }
                repairs.append((name, literal, "\(SQLName.quoted(name)) IS NULL" + condition([rows.sourceNumber])))
            }
            let strays = change.rows.filter { $0.cells[key] == nil && $0.formerColumns.contains(former) }.map(
                \.sourceNumber)
            if !strays.isEmpty, let name = source.column(former) {
                self.strays.append((SQLName.quoted(name), strays.map(String.init).joined(separator: ", ")))
            }
            return true
        }
        if origins.isEmpty || origins == [.null] {
            added.append((column, nil))
        } else if origins.count == 1, case .literal(let literal) = origins.first {
            added.append((column, literal))
        } else {
            added.append((column, nil))
            assignments.append((column.name, change.cellExpression(column)))
        }
        return true
    }

    private func condition(_ numbers: [Int64]) -> String {
        change.sourceIsShared ? " AND Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))" : ""
    }

    /// The new names of the columns, by their old keys.
    var newNames: [String: String] {
        var names: [String: String] = ["Z_PK": "Z_PK", "Z_ENT": "Z_ENT", "Z_OPT": "Z_OPT"]
        for column in change.definition.columns {
            if let former = moved[SQLName.key(column.name)] { names[former] = column.name }
        }
        return names
    }

    // MARK: Statements

    var steps: [MigrationStep] {
        var steps: [MigrationStep] = []
        if !change.leftOut.isEmpty, change.sourceIsShared {
            let list = change.leftOut.map(String.init).joined(separator: ", ")
            steps.append(
                MigrationStep(
                    .rows, "remove rows from \(source.name)", "DELETE FROM \(table) WHERE Z_ENT IN (\(list))",
                    table: source.name))
        }
        for repair in repairs {
            steps.append(
                MigrationStep(
                    .rows, "fill \(source.name).\(repair.column)",
                    "UPDATE \(table) SET \(SQLName.quoted(repair.column)) = \(repair.value) WHERE \(repair.condition)",
                    table: source.name))
        }
        // The column names of the table while the statements run.
        var names = Set(source.columns.map(SQLName.key))
        var renames: [(from: String, to: String)] = []
        var places: [String: String] = [:]
        for (column, literal) in added {
            var name = column.name
            if names.contains(SQLName.key(name)) {
                name = Renaming.spareName(among: names)
                renames.append((name, column.name))
            }
            names.insert(SQLName.key(name))
            places[column.name] = name
            let constant = literal.map { " DEFAULT \($0)" } ?? ""
            steps.append(
                MigrationStep(
                    .schema, "add the column \(source.name).\(column.name)",
                    "ALTER TABLE \(table) ADD COLUMN \(SQLName.quoted(name)) \(column.type.rawValue)\(constant)"))
        }
        steps += update(places)
        for column in dropped {
            names.remove(SQLName.key(column))
            steps.append(
                MigrationStep(
                    .rows, "drop the column \(source.name).\(column)",
                    "ALTER TABLE \(table) DROP COLUMN \(SQLName.quoted(column))", table: source.name))
        }
        for (former, name) in newNames {
            if let old = source.column(former), SQLName.key(old) != SQLName.key(name) { renames.append((old, name)) }
        }
        steps += Renaming(renames, among: names).ordered.map { old, new in
            MigrationStep(
                .schema, "rename the column \(source.name).\(old) to \(new)",
                "ALTER TABLE \(table) RENAME COLUMN \(SQLName.quoted(old)) TO \(SQLName.quoted(new))")
        }
        return steps
    }

    private func update(_ places: [String: String]) -> [MigrationStep] {
        var list = assignments.map { "\(SQLName.quoted(places[$0.column] ?? $0.column)) = \($0.value)" }
        var condition = ""
        if !change.renumbering.isEmpty {
            if list.isEmpty, change.sourceIsShared {
                condition = " WHERE Z_ENT IN (\(change.renumbering.map { String($0.from) }.joined(separator: ", ")))"
            }
            list.append("Z_ENT = \(change.numberExpression)")
        }
        guard !list.isEmpty else {
            return strays.map { stray in
                MigrationStep(
                    .rows, "clear \(source.name).\(stray.column)",
                    "UPDATE \(table) SET \(stray.column) = NULL WHERE Z_ENT IN (\(stray.numbers)) AND \(stray.column) IS NOT NULL",
                    table: source.name)
            }
        }
        // Within one UPDATE every value is computed from the old row.
        for stray in strays {
            list.append("\(stray.column) = CASE WHEN Z_ENT IN (\(stray.numbers)) THEN NULL ELSE \(stray.column) END")
            condition = ""
        }
        return [
            MigrationStep(
                .rows, "convert rows of \(source.name)",
                "UPDATE \(table) SET \(list.joined(separator: ", "))\(condition)", table: source.name)
        ]
    }
}

extension CellOrigin {
    /// The key of the column that is used unchanged, if there is one.
    fileprivate var columnKey: String? {
        switch self {
        case .column(let name), .columnOr(let name, _): SQLName.key(name)
        case .null, .literal, .computed: nil
        }
    }

    fileprivate var isColumn: Bool { columnKey != nil }
}
