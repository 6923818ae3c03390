import Foundation
import ModelFiles
import Schema
import SQLiteKit
import Storage

/// Runs a migration plan on an open database. The caller's transaction covers everything from the
/// first check to the last row.
///
/// Invariant: the store keeps its identity, its unrelated metadata and the primary keys of its
/// objects.
struct StoreMigration {
    let plan: MigrationPlan
    let configuration: String?
    let connection: Connection
    let files: ExternalValues
    let progress: MigrationProgress?
    /// Whether a store without side indexes gets them. True only for stores that Folio made.
    let makesSideIndexes: Bool
    /// The plans that are run before this one.
    var earlier: [MigrationPlan] = []
    /// Whether the objects must satisfy the rules of the new version. Not so before the last step
    /// of a chain.
    var checksRules = true

    /// - Returns: the executed steps, of which there may be none; nil if the store has the new
    ///   version already.
    func run() throws -> [MigrationStep]? {
        guard let script = try script() else { return nil }
        try registerFunctions()
        try check(script).run()
        try perform(script.steps)
        try writeBookkeeping()
        return script.steps
    }

    /// The check of the rows before they are migrated.
    private func check(_ script: MigrationScript) -> RowCheck {
        RowCheck(
            plan: plan, builder: script.builder, connection: connection,
            former: FormerProperties(earlier, to: plan), checksRules: checksRules)
    }

    /// Checks, without writing, whether ``run()`` would refuse the rows.
    func rehearse(_ script: MigrationScript) throws {
        try registerFunctions()
        try check(script).run()
        for step in script.steps {
            if let copied = step.copied, try StoredTable.read(copied.table, from: connection) != nil {
                try copied.check(written: nil, on: connection)
            }
            guard let index = step.constraint else { continue }
            guard let rows = script.builder.oldRows(of: index) else { continue }
            if let violation = try violation(of: index, in: rows, nil) { throw violation }
        }
    }

    /// Checks the rows of a store that has the version of the plan, which changes nothing, against
    /// the rules that the earlier plans have brought.
    func checkRules() throws {
        let catalog = try StoreCatalog.read(from: connection)
        let layout = try StoreLayout.reading(plan.source, from: catalog)
        try registerFunctions()
        try RowCheck(
            plan: plan, builder: MigrationBuilder(plan, old: layout, new: layout, connection: connection),
            connection: connection, former: FormerProperties(earlier, to: plan), checksRules: true
        ).run()
    }

    /// The statements for this store; nil if it has the new version already.
    func script() throws -> MigrationScript? {
        let catalog = try StoreCatalog.read(from: connection)
        if let refusal = catalog.writingRefusal { throw StorageError(.unsupported, refusal) }
        let info = try StoredModelInfo.read(from: connection, catalog)
        if try info.differences(from: plan.destination, configuration: configuration).isEmpty { return nil }
        let different = try info.differences(from: plan.source, configuration: configuration)
        guard different.isEmpty else {
            throw StorageError(
                .incompatibleModel,
                "The store was not written with the version that the migration begins with; different: \(different.joined(separator: ", "))",
                entities: different)
        }
        let builder = try MigrationBuilder(
            plan, old: try StoreLayout.reading(plan.source, from: catalog),
            new: try StoreLayout.creating(plan.destination, configuration: configuration),
            connection: connection)
        return try MigrationScript(
            builder, catalog: catalog, occupied: try OccupiedNames.read(from: connection),
            makesSideIndexes: makesSideIndexes || !catalog.sideIndexes.isEmpty)
    }

    // MARK: Steps

    private func perform(_ steps: [MigrationStep]) throws {
        let work = try steps.map { step -> Int64 in
            guard step.kind != .schema, let table = step.table else { return 1 }
            // Tables are renamed during the migration. A table that does not exist yet counts as 1.
            let quoted = SQLName.quoted(table)
            guard progress != nil, try StoredTable.read(table, from: connection) != nil else { return 1 }
            // The greatest rowid is only a guess, and a damaged file may contain any number. The
            // bound prevents an overflow of the sum.
            return min(max(1, try connection.value("SELECT max(rowid) FROM \(quoted)")?.integer ?? 1), 1 << 40)
        }
        connection.clearCache()
        let total = work.reduce(0, +)
        var done: Int64 = 0
        for (step, work) in zip(steps, work) {
            try progress?.check()
            progress?.note(MigrationProgress.State(stage: step.title, completed: done, total: total))
            do {
                try connection.execute(step.statement)
                try step.copied?.check(written: connection.changes, on: connection)
            } catch let error as SQLiteError where error.code == .constraint {
                guard let index = step.constraint else { throw error }
                throw try violation(of: index, in: SQLName.quoted(index.table), error)
                    ?? StorageError(.constraint, error.message, underlying: error)
            }
            done += work
        }
        progress?.note(MigrationProgress.State(stage: "write metadata", completed: done, total: total))
    }

    /// - Parameter rows: The table, or a query with the columns of the index and `Z_PK`.
    private func violation(of index: IndexDefinition, in rows: String, _ error: SQLiteError?) throws -> StorageError? {
        guard let constraint = index.constraint else { return nil }
        let columns = index.columns.map { SQLName.quoted($0.name) }.joined(separator: ", ")
        let filled = index.columns.map { "\(SQLName.quoted($0.name)) IS NOT NULL" }.joined(separator: " AND ")
        let groups = try connection.rows(
            "SELECT count(*), min(Z_PK), max(Z_PK) FROM \(rows) WHERE \(filled) GROUP BY \(columns) HAVING count(*) > 1 ORDER BY min(Z_PK) LIMIT 1000"
        )
        guard let first = groups.first else { return nil }
        return StorageError(
            .constraint,
            "\(constraint.entity) is to be unique by \(constraint.attributes.joined(separator: ", ")), but objects have equal values, such as \(constraint.entity)/p\(first[1].integer ?? 0) and \(constraint.entity)/p\(first[2].integer ?? 0) "
                + "(\(groups.count)\(groups.count == 1000 ? " or more" : "") groups of duplicates)",
            entities: [constraint.entity], underlying: error)
    }

    private func registerFunctions() throws {
        try SideIndexUpdater.registerWords(on: connection)
        try NumberConversion.register(on: connection)
        try TextRule.register(on: connection)
        try connection.register(function: MigrationBuilder.externalValueFunction, argumentCount: 1, flags: .directOnly)
        { [files] arguments, result in
            guard !arguments[0].isNull else { return }
            let value = try files.value(ofCell: Data(arguments[0].bytes)).data()
            value.withUnsafeBytes { result.set(bytes: $0) }
        }
    }
}
