/// The steps by which SQLite runs a statement, as `EXPLAIN QUERY PLAN` lists them.
package struct QueryPlan: Sendable, Hashable {
    /// One line for each step, indented by two spaces for each step that contains it.
    package let lines: [String]

    /// Compiles the statement, without running it.
    package init(of sql: String, _ arguments: [SQLiteValue] = [], on connection: Connection) throws {
        let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        try statement.bind(arguments)
        var depths: [Int64: Int] = [:]
        var lines: [String] = []
        while try statement.step() {
            let id = statement.value(at: 0).integer ?? 0, parent = statement.value(at: 1).integer ?? 0
            let depth = depths[parent] ?? 0
            depths[id] = depth + 1
            lines.append(String(repeating: "  ", count: depth) + (statement.value(at: 3).text ?? ""))
        }
        self.lines = lines
    }
}
