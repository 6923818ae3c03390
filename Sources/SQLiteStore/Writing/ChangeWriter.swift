import RowMemory
import Schema
import SQLiteKit
import Storage

/// Writes the changes of a save: rows, links and orders. Intermediate results are kept in
/// `SaveInProgress`.
struct ChangeWriter {
    let session: StoreSession

    init(_ session: StoreSession) { self.session = session }

    // MARK: Insertions

    /// - Parameter keepsVersions: Whether the rows keep their versions, instead of beginning with
    ///   1.
    func insert(_ insertions: ChangeSet.Insertions, keepsVersions: Bool, _ save: inout SaveInProgress) throws {
        guard !insertions.rows.isEmpty else { return }
        let storage = try session.layout.storage(of: insertions.entityIndex)
        let plan = WritePlan(storage, session.rowLayouts[insertions.entityIndex])
        let writer = writer(insertions.rows, places: Array(0..<insertions.rows.count), plan, save)
        let columns = (["Z_PK", "Z_ENT", "Z_OPT"] + plan.columns.map { SQLName.quoted($0.name) }).joined(
            separator: ", ")
        let version = keepsVersions ? "c1" : "1"
        let rest = (["\(storage.number)", version] + plan.columns.indices.map { "c\($0 + WritePlan.firstColumn)" })
            .joined(
                separator: ", ")
        let table = try session.connection.bulk.sourceTable(columns: writer.columnCount)
        func statement(key: String) -> String {
            "INSERT INTO \(SQLName.quoted(storage.table)) (\(columns)) SELECT \(key), \(rest) FROM \(table)"
        }
        let appended =
            try isAppended(writer, to: storage)
            ? session.connection.withStatement(statement(key: "NULL")) { try attempt($0, writer) } : nil
        let count =
            try appended
            ?? run(statement(key: "c0"), writer, insertions.rows, entityIndex: insertions.entityIndex, save)
        guard count == insertions.rows.count else {
            let name = session.layout.model.entities[insertions.entityIndex].name
            throw StorageError(
                .damaged,
                "Of \(insertions.rows.count) new objects of \(name) \(count) would be written: a trigger of the database keeps others out",
                entities: [name])
        }
        noteUnordered(insertions.rows, places: writer.allPositions, plan, storage, &save)
    }

    /// Whether the rows' primary keys are those that SQLite would assign.
    private func isAppended(_ writer: RowWriter, to storage: EntityStorage) throws -> Bool {
        guard writer.count >= Self.manyRows, let first = writer.firstOfConsecutiveKeys,
            try TableTraits(storage.table, session.connection).numbersRows
        else { return false }
        let last = try session.connection.value("SELECT max(Z_PK) FROM \(SQLName.quoted(storage.table))")?.integer ?? 0
        // Compare in this order: a damaged file may have the greatest possible key, to which 1
        // can't be added.
        return first - 1 == last
    }

    /// The least number of rows for which it is worthwhile to inspect the table's definition.
    private static let manyRows = 64

    // MARK: Updates

    /// Rows in which the same properties changed, which one statement writes.
    private struct UpdateGroup {
        let rows: RowBatch
        let places: [Int]
        let entityIndex: Int
        let storage: EntityStorage
        let prepared: UpdatePlan

        var plan: WritePlan { prepared.plan }
    }

    func update(_ updates: [ChangeSet.Updates], _ save: inout SaveInProgress) throws {
        let groups = try updates.flatMap(groups)
        for (index, group) in groups.enumerated() {
            try session.replacedFiles.noteReplacedFiles(
                group.rows, group.places, group.plan, group.storage, on: session.connection)
            let writer = writer(group.rows, places: group.places, group.plan, save)
            let count =
                try updateOne(writer, group.prepared) ?? updateByInsertion(writer, group.plan, group.storage)
                ?? run(group.prepared.statement, writer, group.rows, entityIndex: group.entityIndex, save) { [save] in
                    try emptyUniqueColumns(groups[index...], save)
                }
            if count != group.places.count { throw VersionMismatch() }
            noteUnordered(group.rows, places: group.places, group.plan, group.storage, &save)
        }
    }

    private func groups(_ updates: ChangeSet.Updates) throws -> [UpdateGroup] {
        precondition(
            updates.changed.count == updates.rows.count,
            "Every updated row comes with the set of its changed properties")
        let storage = try session.layout.storage(of: updates.entityIndex)
        return try Self.placesBySet(updates.changed).map { changed, places in
            UpdateGroup(
                rows: updates.rows, places: places, entityIndex: updates.entityIndex, storage: storage,
                prepared: try updatePlan(updates.entityIndex, changed, storage))
        }
    }

    /// The sets in the order of their first occurrence. Adjacent rows usually have the same set,
    /// which then needs no lookup.
    private static func placesBySet(_ sets: [PropertySet]) -> [(changed: PropertySet, places: [Int])] {
        if sets.count == 1 { return [(sets[0], [0])] }
        var groups: [(changed: PropertySet, places: [Int])] = []
        var groupOfSet: [PropertySet: Int] = [:]
        var current = -1
        for (place, changed) in sets.enumerated() {
            if current < 0 || groups[current].changed != changed {
                if let known = groupOfSet[changed] {
                    current = known
                } else {
                    current = groups.count
                    groupOfSet[changed] = current
                    groups.append((changed, []))
                }
            }
            groups[current].places.append(place)
        }
        return groups
    }

    /// Updates many rows by upserts; see `TableTraits.updatesByInsertion`.
    /// - Returns: the number of updated rows; nil if the table or the rows don't allow it.
    private func updateByInsertion(_ writer: RowWriter, _ plan: WritePlan, _ storage: EntityStorage) throws -> Int? {
        guard writer.count >= Self.manyRows, plan.columns.allSatisfy({ $0.order == nil }),
            try TableTraits(storage.table, session.connection).updatesByInsertion
        else { return nil }
        let names = plan.columns.map { SQLName.quoted($0.name) }
        let sources = plan.columns.indices.map { "c\($0 + WritePlan.firstColumn)" }
        let root = SelectStatement.rootAlias
        let assignments = ["Z_OPT = ifnull(\(root).Z_OPT, 0) + 1"] + names.map { "\($0) = excluded.\($0)" }
        let statement =
            "INSERT INTO \(SQLName.quoted(storage.table)) AS \(root) (\((["Z_PK", "Z_OPT"] + names).joined(separator: ", "))) "
            + "SELECT \((["c0", "c1"] + sources).joined(separator: ", ")) FROM \(try session.connection.bulk.sourceTable(columns: writer.columnCount)) WHERE true "
            + "ON CONFLICT (Z_PK) DO UPDATE SET \(assignments.joined(separator: ", ")) WHERE ifnull(\(root).Z_OPT, 0) = excluded.Z_OPT"
        // No row should be inserted. If one was missing after all, its rowid is set here, and the
        // whole save is rolled back.
        session.connection.lastInsertRowID = .min
        let count = try session.connection.withStatement(statement) { try attempt($0, writer) }
        if session.connection.lastInsertRowID != .min { throw VersionMismatch() }
        return count
    }

    /// Sets unique columns of the rows to NULL before they get their new values, so that rows can
    /// pass theirs on to each other, also to rows of other entities.
    /// - Returns: false if none of the columns is unique.
    private func emptyUniqueColumns(_ groups: ArraySlice<UpdateGroup>, _ save: SaveInProgress) throws -> Bool {
        try groups.reduce(false) { isAny, group in
            let writer = writer(group.rows, places: group.places, group.plan, save)
            return try emptyUniqueColumns(group.plan, writer, group.storage) || isAny
        }
    }

    private func emptyUniqueColumns(_ plan: WritePlan, _ writer: RowWriter, _ storage: EntityStorage) throws -> Bool {
        let entity = session.layout.model.entities[storage.entityIndex]
        let unique = Set(entity.uniquenessConstraints.joined().compactMap { entity.propertyIndex(named: $0) })
        let columns = zip(plan.columns, plan.writers).filter { unique.contains(Int($1.slot.index)) }.map {
            "\(SQLName.quoted($0.0.name)) = NULL"
        }
        guard !columns.isEmpty else { return false }
        let source = try session.connection.bulk.sourceTable(columns: writer.columnCount)
        let statement =
            "UPDATE \(SQLName.quoted(storage.table)) SET \(columns.joined(separator: ", ")) WHERE Z_PK IN (SELECT c0 FROM \(source))"
        try session.connection.withStatement(statement) { try session.connection.bulk.run($0, from: writer) }
        return true
    }

    /// Updates a single row, the usual case of an autosave. A table-valued function would take
    /// longer than everything else.
    /// - Returns: the number of updated rows; nil if there are several rows, or the row violates a
    ///   constraint.
    private func updateOne(_ writer: RowWriter, _ prepared: UpdatePlan) throws -> Int? {
        guard writer.count == 1 else { return nil }
        do {
            try session.connection.withStatement(prepared.statementForOne) { statement in
                try writer.bindRow(to: statement)
                try statement.run()
            }
            return session.connection.changes
        } catch let error as SQLiteError where error.code == .constraint {
            return nil
        }
    }

    /// The cached plan for updating a set of properties, because small saves often repeat.
    private func updatePlan(_ entityIndex: Int, _ changed: PropertySet, _ storage: EntityStorage) throws -> UpdatePlan {
        try session.plans.update(entityIndex, changed) {
            let plan = WritePlan(storage, session.rowLayouts[entityIndex], properties: changed)
            let source = try session.connection.bulk.sourceTable(columns: WritePlan.firstColumn + plan.columns.count)
            return UpdatePlan(plan, table: storage.table, source: source)
        }
    }

    // MARK: Deletions

    func delete(_ deletions: [ChangeSet.Deletion], _ save: inout SaveInProgress) throws {
        guard !deletions.isEmpty else { return }
        for (entityIndex, numbers) in Self.numbersByEntity(deletions) {
            let storage = try session.layout.storage(of: entityIndex)
            try session.replacedFiles.noteDeletedFiles(numbers, storage, on: session.connection)
            if try !deleteMany(numbers, storage) { try deleteOneByOne(numbers, storage) }
            try unlink(numbers, storage)
        }
    }

    /// Primary keys and versions, alternating. Adjacent deletions are usually of one entity.
    private static func numbersByEntity(_ deletions: [ChangeSet.Deletion]) -> [(entityIndex: Int, numbers: [Int64])] {
        var groups: [(entityIndex: Int, numbers: [Int64])] = []
        var current = -1
        for deletion in deletions {
            if current < 0 || groups[current].entityIndex != deletion.entityIndex {
                current = groups.firstIndex { $0.entityIndex == deletion.entityIndex } ?? groups.count
                if current == groups.count { groups.append((deletion.entityIndex, [])) }
            }
            groups[current].numbers.append(deletion.key)
            groups[current].numbers.append(deletion.version)
        }
        return groups.sorted { $0.entityIndex < $1.entityIndex }
    }

    /// Deletes row by row: in one statement, SQLite would record all rows twice before it deletes
    /// the first.
    private func deleteOneByOne(_ keysAndVersions: [Int64], _ storage: EntityStorage) throws {
        try session.connection.withStatement(
            "DELETE FROM \(SQLName.quoted(storage.table)) WHERE Z_PK = ? AND ifnull(Z_OPT, 0) = ?"
        ) { statement in
            for start in stride(from: 0, to: keysAndVersions.count, by: 2) {
                try statement.bind(keysAndVersions[start], at: 1)
                try statement.bind(keysAndVersions[start + 1], at: 2)
                try statement.run()
                if session.connection.changes != 1 { throw VersionMismatch() }
            }
        }
    }

    /// Deletes rows that are dense in their table, during one scan of the table.
    /// - Returns: false if they are not dense, or the table does not allow it.
    private func deleteMany(_ keysAndVersions: [Int64], _ storage: EntityStorage) throws -> Bool {
        guard keysAndVersions.count >= 2 * Self.manyRows else { return false }
        let rows = DeletedRows(keysAndVersions)
        guard rows.isDense, try TableTraits(storage.table, session.connection).deletesUnseen else { return false }
        _ = try session.connection.bulk.sinkFunction()
        let table = SQLName.quoted(storage.table)
        let meeting =
            "\(table) WHERE Z_PK BETWEEN \(rows.first) AND \(rows.last) AND NOT \(session.connection.bulk.skipFunction)(Z_PK, ifnull(Z_OPT, 0))"
        func isAll(_ count: Int) throws {
            if count != rows.count { throw VersionMismatch() }
        }
        if try session.connection.value("SELECT count(*) FROM \(table)")?.integer == Int64(rows.count) {
            // SQLite truncates a table by freeing its pages, without reading the rows. The versions
            // are therefore checked before.
            try session.connection.withStatement("SELECT Z_PK FROM \(meeting)") {
                try session.connection.bulk.run($0, into: rows)
            }
            try isAll(rows.met)
            try session.connection.run("DELETE FROM \(table)")
        } else {
            try session.connection.withStatement("DELETE FROM \(meeting)") {
                try session.connection.bulk.run($0, into: rows)
            }
        }
        try isAll(session.connection.changes)
        return true
    }

    /// Removes deleted objects from join tables. The change set need not list their links, because
    /// they may never have been loaded.
    private func unlink(_ keysAndVersions: [Int64], _ storage: EntityStorage) throws {
        let source = try session.connection.bulk.sourceTable(columns: 2)
        for case .manyToMany(let join) in storage.properties {
            for column in join.isReflexive ? [join.ownerColumn, join.memberColumn] : [join.ownerColumn] {
                let statement =
                    "DELETE FROM \(SQLName.quoted(join.table)) WHERE \(SQLName.quoted(column)) IN (SELECT c0 FROM \(source))"
                try session.connection.withStatement(statement) {
                    try session.connection.bulk.run($0, from: NumberSource(keysAndVersions, width: 2))
                }
            }
        }
    }

    // MARK: Execution

    private func writer(_ rows: RowBatch, places: [Int], _ plan: WritePlan, _ save: SaveInProgress) -> RowWriter {
        RowWriter(
            rows, places: places, plan, keys: save.keys, layout: session.layout, store: session.identity,
            large: save.large)
    }

    /// Runs a statement over rows and returns the number of changed rows. If a row violates a
    /// constraint, `makingRoom` is called and the statement is repeated; then the rows are written
    /// one by one to find the violation.
    @discardableResult
    private func run(
        _ text: String, _ writer: RowWriter, _ rows: RowBatch, entityIndex: Int, _ save: SaveInProgress,
        makingRoom: () throws -> Bool = { false }
    ) throws -> Int {
        try session.connection.withStatement(text) { statement in
            // A failed statement has made no changes.
            if let count = try attempt(statement, writer) { return count }
            if try makingRoom(), let count = try attempt(statement, writer) { return count }
            return try writer.allPositions.reduce(0) { count, place in
                do {
                    statement.reset()
                    try session.connection.bulk.run(statement, from: writer.only(place))
                    return count + session.connection.changes
                } catch let error as SQLiteError where error.code == .constraint {
                    throw violation(error, rows[place], entityIndex: entityIndex, save)
                }
            }
        }
    }

    /// The number of changed rows; nil if a row violates a constraint.
    private func attempt(_ statement: Statement, _ writer: RowWriter) throws -> Int? {
        do {
            statement.reset()
            try session.connection.bulk.run(statement, from: writer)
            return session.connection.changes
        } catch let error as SQLiteError where error.code == .constraint {
            return nil
        }
    }

    private func violation(_ error: SQLiteError, _ row: Row, entityIndex: Int, _ save: SaveInProgress) -> StorageError {
        let name = session.layout.model.entities[entityIndex].name
        let id = ManagedObjectID(store: session.identity, entityIndex: entityIndex, key: row.key)
        let object = StoreConflict(object: id, expectedVersion: row.version, storedVersion: row.version)
        if error.constraint == .primaryKey {
            return StorageError(
                .constraint, "There is already an object with the number \(row.key): \(name)", entities: [name],
                conflicts: [object], underlying: error)
        }
        // If no constraint of the model explains the error, the index was made by another program,
        // and only SQLite's message is available.
        var violation =
            (try? sharedValues(row, entityIndex: entityIndex, save)).flatMap { $0 }.map {
                StorageError.notUnique($0.names, object, holder: $0.holder)
            }
            ?? StorageError(
                .constraint, "\(name) breaks a rule of the database: \(error.message)", entities: [name],
                conflicts: [object])
        violation.underlying = error
        return violation
    }

    /// The first constraint whose values another object has, and that object.
    private func sharedValues(_ row: Row, entityIndex: Int, _ save: SaveInProgress) throws -> (
        names: [String], holder: ManagedObjectID
    )? {
        let storage = try session.layout.storage(of: entityIndex)
        for names in session.layout.model.entities[entityIndex].uniquenessConstraints {
            let cells = names.flatMap { uniqueCells($0, of: row, storage, save) }
            if cells.isEmpty || cells.contains(where: { $0.value == .null }) { continue }
            let conditions = cells.map { "\(SQLName.quoted($0.column)) = ?" } + ["Z_PK <> ?"]
            let found = try session.connection.rows(
                "SELECT Z_PK, Z_ENT FROM \(SQLName.quoted(storage.table)) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1",
                cells.map(\.value) + [.integer(save.keys.key(row.key))])
            guard let cells = found.first, let key = cells[0].integer else { continue }
            let holder = cells[1].integer.flatMap { session.layout.entityIndex(number: $0) } ?? entityIndex
            return (
                names,
                ManagedObjectID(
                    store: session.identity, entityIndex: holder, key: save.givenKey(key, entityIndex: holder))
            )
        }
        return nil
    }

    private func uniqueCells(_ name: String, of row: Row, _ storage: EntityStorage, _ save: SaveInProgress) -> [(
        column: String, value: SQLiteValue
    )] {
        guard let index = session.layout.model.entities[storage.entityIndex].propertyIndex(named: name) else {
            return []
        }
        let slot = session.rowLayouts[storage.entityIndex].slots[index]
        switch storage.properties[index] {
        case .attribute(let column): return [(column.name, SQLiteValue(row.value(slot), column))]
        case .composite(let leaves):
            return leaves.map { ($0.column.name, SQLiteValue(row.value(slot).part(at: $0.path), $0.column)) }
        case .toOne(let toOne):
            return [(toOne.key, row.reference(slot).map { .integer(save.keys.key($0.key)) } ?? .null)]
        case .none, .toMany, .manyToMany: return []
        }
    }

    // MARK: Conflicts

    /// All updated and deleted objects whose stored version differs from the version that was read.
    func conflicts(in changes: ChangeSet) throws -> [StoreConflict] {
        var numbers: [Int: [Int64]] = [:]
        for updates in changes.updates {
            for index in 0..<updates.rows.count {
                let row = updates.rows[index]
                numbers[updates.entityIndex, default: []] += [row.key, row.version]
            }
        }
        for deletion in changes.deletions {
            numbers[deletion.entityIndex, default: []] += [deletion.key, deletion.version]
        }
        var conflicts: [StoreConflict] = []
        for (entityIndex, numbers) in numbers.sorted(by: { $0.key < $1.key }) {
            let storage = try session.layout.storage(of: entityIndex)
            let table = SQLName.quoted(storage.table)
            let lookup = "SELECT ifnull(Z_OPT, 0) FROM \(table) WHERE Z_PK = ?"
            for start in stride(from: 0, to: numbers.count, by: 2) {
                let stored = try session.connection.value(lookup, [.integer(numbers[start])])?.integer
                guard stored != numbers[start + 1] else { continue }
                conflicts.append(
                    StoreConflict(
                        object: ManagedObjectID(store: session.identity, entityIndex: entityIndex, key: numbers[start]),
                        expectedVersion: numbers[start + 1],
                        storedVersion: stored ?? 0))
            }
        }
        return conflicts
    }
}

extension StoreSession {
    /// Writes change sets through this session.
    var writer: ChangeWriter { ChangeWriter(self) }
}
