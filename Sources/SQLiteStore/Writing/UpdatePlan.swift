/// The statements that update rows in which some properties changed.
struct UpdatePlan {
    let plan: WritePlan
    /// Updates the rows of a row source: column 0 is the primary key, column 1 the version,
    /// followed by the plan's columns.
    let statement: String
    /// Updates one row, whose cells are the parameters in the same order.
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
