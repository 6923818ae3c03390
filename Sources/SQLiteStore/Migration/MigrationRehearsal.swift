import Schema
import SQLiteKit
import Storage

/// Computes the effects of a chain of migrations on a store without running them.
struct MigrationRehearsal {
    private let plans: [MigrationPlan]
    private let configuration: String?
    private let connection: Connection
    private let files: ExternalValues
    private let makesSideIndexes: Bool

    init(
        _ plans: [MigrationPlan], configuration: String?, connection: Connection, files: ExternalValues,
        makesSideIndexes: Bool
    ) {
        self.plans = plans
        self.configuration = configuration
        self.connection = connection
        self.files = files
        self.makesSideIndexes = makesSideIndexes
    }

    func report() throws -> MigrationReport {
        var steps: [MigrationStep] = []
        var stage = connection
        for (index, plan) in plans.enumerated() {
            let migration = migration(plan, on: stage)
            steps += try migration.script()?.steps ?? []
            guard index + 1 < plans.count else { break }
            if index == 0 { stage = try skeleton() }
            _ = try self.migration(plan, on: stage).run()
        }
        let (rows, bytes) = try estimate(steps)
        return MigrationReport(steps, rows: rows, bytes: bytes)
    }

    /// - Returns: False if only migrating a copy can tell: for several plans, and for a new
    ///   constraint that needs temporary columns.
    /// - Throws: The error with which the migration would refuse the rows.
    func checkRows() throws -> Bool {
        guard let plan = plans.first else { return true }
        guard plans.count == 1 else { return false }
        let migration = migration(plan, on: connection)
        guard let script = try migration.script() else { return true }
        try migration.rehearse(script)
        return script.builder.columnsOfJoins().isEmpty || !script.steps.contains { $0.constraint != nil }
    }

    private func migration(_ plan: MigrationPlan, on connection: Connection) -> StoreMigration {
        StoreMigration(
            plan: plan, configuration: configuration, connection: connection, files: files, progress: nil,
            makesSideIndexes: makesSideIndexes)
    }

    /// An in-memory database with the store's tables, indexes, triggers and metadata, but without
    /// objects.
    private func skeleton() throws -> Connection {
        let copy = try Connection.inMemory()
        try TriggerFunctions.register(on: copy, noting: nil)
        // Shadow tables are created with their virtual tables. Only the kinds of virtual tables
        // that Folio makes are available in every SQLite.
        let items = try connection.rows(
            """
            SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
                AND (upper(sql) NOT LIKE 'CREATE VIRTUAL%' OR upper(sql) LIKE '% USING FTS5%' OR upper(sql) LIKE '% USING RTREE%')
                AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
            ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'view' THEN 1 ELSE 2 END
            """)
        let (tables, others) = (
            items.compactMap { $0[0].text }.filter(Self.makesTable),
            items.compactMap { $0[0].text }.filter { !Self.makesTable($0) }
        )
        for statement in tables { try copy.execute(statement) }
        for table in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
        where try StoredTable.read(table, from: connection) != nil {
            for row in try connection.rows("SELECT * FROM \(table)") {
                try copy.run("INSERT INTO \(table) VALUES (\(row.map { _ in "?" }.joined(separator: ", ")))", row)
            }
        }
        for statement in others { try copy.execute(statement) }
        return copy
    }

    private static func makesTable(_ statement: String) -> Bool { statement.uppercased().hasPrefix("CREATE TABLE") }

    /// An estimate: the rows from the greatest rowid of each table, the bytes from the table's
    /// share of all rows and the size of the file.
    private func estimate(_ steps: [MigrationStep]) throws -> (rows: Int64, bytes: Int64) {
        let moving = steps.filter { $0.kind != .schema }
        guard !moving.isEmpty else { return (0, 0) }
        var counts: [String: Int64] = [:]
        for row in try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND upper(sql) NOT LIKE 'CREATE VIRTUAL%' AND upper(sql) NOT LIKE '%WITHOUT ROWID%'"
        ) {
            guard let name = row[0].text else { continue }
            // The greatest rowid is only a guess, and a damaged file may contain any number.
            counts[SQLName.key(name)] = min(
                max(0, try connection.value("SELECT max(rowid) FROM \(SQLName.quoted(name))")?.integer ?? 0), 1 << 40)
        }
        let all = max(1, counts.values.reduce(0, +))
        let size =
            (try connection.value("PRAGMA page_count")?.integer ?? 0)
            * (try connection.value("PRAGMA page_size")?.integer ?? 0)
        var rows: Int64 = 0, bytes = 0.0
        for step in moving {
            // Dropping a table frees its pages and writes none of them.
            if step.statement.hasPrefix("DROP TABLE") { continue }
            // A table that only a later stage creates counts as empty.
            let count = step.table.map { counts[SQLName.key($0)] ?? 0 } ?? 0
            rows += count
            bytes += Double(size) * Double(count) / Double(all)
        }
        return (rows, bytes < 9e18 ? Int64(bytes) : .max)
    }
}
