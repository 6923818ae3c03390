/// How rows are written in which some properties changed.
struct UpdatePlan {
    let plan: WritePlan
    /// Changes the rows of a source: column 0 is the key, column 1 the version, then those of the
    /// plan.
    let statement: String
    /// Changes one row, whose cells are its arguments in the same order.
    let statementForOne: String

    init(_ plan: WritePlan, table: String, source: String) {
        self.plan = plan
        let root = SelectStatement.rootAlias
        func statement(from source: String, _ value: (Int) -> String) -> String {
            var assignments = ["Z_OPT = ifnull(\(root).Z_OPT, 0) + 1"]
            for (index, column) in plan.columns.enumerated() {
                let name = SQLName.quoted(column.name), value = value(index + WritePlan.firstColumn)
                assignments.append("\(name) = \(value)")
                if let order = column.order.map({ SQLName.quoted($0) }) {
                    assignments.append("\(order) = CASE WHEN \(root).\(name) = \(value) THEN \(root).\(order) END")
                }
            }
            return "UPDATE \(SQLName.quoted(table)) AS \(root) SET \(assignments.joined(separator: ", "))\(source) "
                + "WHERE \(root).Z_PK = \(value(0)) AND ifnull(\(root).Z_OPT, 0) = \(value(1))"
        }
        self.statement = statement(from: " FROM \(source) s") { "s.c\($0)" }
        statementForOne = statement(from: "") { "?\($0 + 1)" }
    }
}
