import Schema
import SQLiteKit
import Storage

/// The ordered statements that migrate a store from one model version to another.
///
/// Temporary columns for join tables come first. Join tables follow, because their pairs may come
/// from columns that are dropped later. Then come the tables, which get their final names after the
/// old tables with these names are dropped. Order numbers, indexes and triggers come last, because
/// they need both.
struct MigrationScript {
    private(set) var steps: [MigrationStep] = []
    private let catalog: StoreCatalog
    let builder: MigrationBuilder
    private let target: StoreSchema
    /// The names of all tables after the statements so far, by key.
    private var names: Set<String>
    private var renames: [(from: String, to: String)] = []
    /// The indexes of tables that are kept, by the table's new name.
    private var indexes: [(table: String, index: StoredTable.Index, newNames: [String: String])] = []

    init(_ builder: MigrationBuilder, catalog: StoreCatalog, makesSideIndexes: Bool) throws {
        self.builder = builder
        self.catalog = catalog
        target = StoreSchema(builder.new)
        names = Set(catalog.tables.map { SQLName.key($0.name) })
        let changes = builder.tableChanges()
        let alterations = changes.map { TableAlteration($0) }
        let triggers = try MigratedTriggers(catalog.triggers, builder, changes: changes)
        steps += triggers.removing
        // Side indexes are dropped and rebuilt, because moved rows would be found at their old
        // positions.
        steps += catalog.sideIndexes.filter { $0.value.hasPrefix("CREATE VIRTUAL") }.keys.sorted().map { name in
            MigrationStep(.schema, "drop the index \(name)", "DROP TABLE \(SQLName.quoted(name))")
        }

        let links = linkPlan()
        for (change, alteration) in zip(changes, alterations) { noteIndexes(of: change, alteration) }
        for (change, source) in links.renamed { noteIndexes(of: change, source) }
        let (kept, dropped) = sortIndexes()
        steps += dropped.map { MigrationStep(.schema, "drop the index \($0)", "DROP INDEX \(SQLName.quoted($0))") }

        for made in builder.columnsOfJoins() { steps += made.steps }
        addLinks(links)
        addTables(changes, alterations)
        addRenames()
        addOrders(changes)
        steps += target.indexes.filter { !kept.contains($0) }.map { index in
            MigrationStep(
                .index, "make the index \(index.name)", index.statement, table: index.table,
                constraint: index.constraint == nil ? nil : index)
        }
        if makesSideIndexes {
            let wanted = builder.new.sideIndexes
            for index in wanted.search.values.sorted(by: { $0.table < $1.table }) {
                addSideIndex(index.name, index.table, index.statement, index.filling)
            }
            for index in wanted.allPositions { addSideIndex(index.name, index.table, index.statement, index.filling) }
        }
        steps += triggers.restoring
    }

    /// The name for a new table: its final name if that is free, else a temporary one.
    private mutating func place(_ name: String) -> String {
        var place = name
        if names.contains(SQLName.key(name)) {
            place = Renaming.spareName(among: names)
            renames.append((place, name))
        }
        names.insert(SQLName.key(place))
        return place
    }

    private mutating func drop(_ table: String) {
        names.remove(SQLName.key(table))
        steps.append(
            MigrationStep(.rows, "drop the table \(table)", "DROP TABLE \(SQLName.quoted(table))", table: table))
    }

    private mutating func addSideIndex(_ name: String, _ table: String, _ statement: String, _ filling: String) {
        steps.append(MigrationStep(.schema, "make the index \(name)", statement))
        steps.append(MigrationStep(.index, "fill the index \(name)", filling, table: table))
    }

    // MARK: Joins

    private typealias LinkPlan = (renamed: [(LinkChange, LinkChange.Source)], made: [LinkChange], gone: [String])

    private func linkPlan() -> LinkPlan {
        let changes = builder.linkChanges()
        let uses = Dictionary(grouping: changes.flatMap(\.sources).map(\.table), by: { $0 })
        var plan: LinkPlan = ([], [], [])
        for change in changes {
            if let source = change.renamedSource, uses[source.table]?.count == 1 {
                plan.renamed.append((change, source))
            } else {
                plan.made.append(change)
            }
        }
        let kept = Set(plan.renamed.map(\.1.table))
        plan.gone = Set(
            builder.old.storedEntities.flatMap(\.properties).compactMap {
                if case .manyToMany(let join) = $0 { join.table } else { nil }
            }
        )
        .subtracting(kept).sorted()
        return plan
    }

    private mutating func addLinks(_ plan: LinkPlan) {
        for change in plan.made { steps += change.rebuilding(as: place(change.join.table)) }
        for table in plan.gone { drop(table) }
        for (change, source) in plan.renamed {
            let columns = builder.table(source.table)?.columns ?? []
            for (old, new) in Renaming(Self.columnNames(change, source), among: columns).ordered {
                steps.append(
                    MigrationStep(
                        .schema, "rename the column \(source.table).\(old) to \(new)",
                        "ALTER TABLE \(SQLName.quoted(source.table)) RENAME COLUMN \(SQLName.quoted(old)) TO \(SQLName.quoted(new))"
                    ))
            }
            renames.append((source.table, change.join.table))
        }
    }

    private static func columnNames(_ change: LinkChange, _ source: LinkChange.Source) -> [(from: String, to: String)] {
        let join = change.join
        var names = [(from: source.owner, to: join.ownerColumn), (from: source.member, to: join.memberColumn)]
        if let old = source.memberOrder, let new = join.memberOrder { names.append((old, new)) }
        if let old = source.ownerOrder, let new = join.ownerOrder { names.append((old, new)) }
        return names
    }

    // MARK: Tables

    private mutating func addTables(_ changes: [TableChange], _ alterations: [TableAlteration?]) {
        var kept: Set<String> = []
        for (change, alteration) in zip(changes, alterations) {
            if let alteration, let source = change.source {
                steps += alteration.steps
                kept.insert(source.name)
                renames.append((source.name, change.definition.name))
            } else {
                steps += change.rebuilding(as: place(change.definition.name))
            }
        }
        for table in Set(builder.old.storedEntities.map(\.table)).subtracting(kept).sorted() { drop(table) }
    }

    private mutating func addRenames() {
        for (old, new) in Renaming(renames, among: names).ordered {
            steps.append(
                MigrationStep(
                    .schema, "rename the table \(old) to \(new)",
                    "ALTER TABLE \(SQLName.quoted(old)) RENAME TO \(SQLName.quoted(new))"))
        }
    }

    /// Assigns order numbers to the members of relationships that became ordered.
    private mutating func addOrders(_ changes: [TableChange]) {
        var seen: Set<OrderedColumns> = []
        for storage in builder.new.storedEntities {
            for property in storage.properties {
                let columns: OrderedColumns
                switch property {
                case .toMany(let key):
                    guard let order = key.order else { continue }
                    columns = OrderedColumns(key, order: order)
                case .toOne(let toOne):
                    guard let order = toOne.order else { continue }
                    columns = OrderedColumns(table: storage.table, toOne, order: order)
                default: continue
                }
                guard seen.insert(columns).inserted,
                    let change = changes.first(where: { $0.definition.name == columns.table })
                else { continue }
                let isMissing = change.rows.contains { rows in
                    (rows.cells[SQLName.key(columns.owner)] ?? .null) != .null
                        && rows.cells[SQLName.key(columns.order)] == .null
                }
                if isMissing { steps.append(Self.numbering(columns)) }
            }
        }
    }

    private static func numbering(_ columns: OrderedColumns) -> MigrationStep {
        let (table, owner, order) = (
            SQLName.quoted(columns.table), SQLName.quoted(columns.owner), SQLName.quoted(columns.order)
        )
        return MigrationStep(
            .rows, "give members of \(columns.table).\(columns.owner) their places",
            "UPDATE \(table) SET \(order) = n.place FROM (SELECT Z_PK AS number, \(OrderNumbers.expression(partition: owner, by: "Z_PK")) AS place "
                + "FROM \(table) WHERE \(owner) IS NOT NULL) AS n WHERE \(table).Z_PK = n.number AND \(order) IS NULL",
            table: columns.table)
    }

    // MARK: Indexes

    private mutating func noteIndexes(of change: TableChange, _ alteration: TableAlteration?) {
        guard let alteration, let source = change.source else { return }
        for index in source.indexes { indexes.append((change.definition.name, index, alteration.newNames)) }
    }

    private mutating func noteIndexes(of change: LinkChange, _ source: LinkChange.Source) {
        let pairs = Self.columnNames(change, source).map { (SQLName.key($0.from), $0.to) }
        for index in builder.table(source.table)?.indexes ?? [] {
            indexes.append((change.join.table, index, Dictionary(pairs, uniquingKeysWith: { first, _ in first })))
        }
    }

    /// Determines which target indexes exist already, under any name, and which existing indexes
    /// must be dropped.
    private func sortIndexes() -> (kept: Set<IndexDefinition>, dropped: [String]) {
        var kept: [IndexDefinition: String] = [:]
        func fits(
            _ found: (table: String, index: StoredTable.Index, newNames: [String: String]), _ wanted: IndexDefinition
        ) -> Bool {
            guard found.index.isPlain, found.index.isUnique == (wanted.constraint != nil),
                SQLName.key(found.table) == SQLName.key(wanted.table),
                found.index.columns.count == wanted.columns.count
            else { return false }
            return zip(found.index.columns, wanted.columns).allSatisfy { old, new in
                old.isDescending == new.isDescending
                    && found.newNames[old.key].map { SQLName.key($0) == SQLName.key(new.name) } == true
            }
        }
        var free = indexes
        // Match by name first, then by definition: indexes keep their old names.
        for byName in [true, false] {
            for wanted in target.indexes where kept[wanted] == nil {
                guard
                    let place = free.firstIndex(where: {
                        fits($0, wanted) && (!byName || SQLName.key($0.index.name) == SQLName.key(wanted.name))
                    })
                else { continue }
                kept[wanted] = free.remove(at: place).index.name
            }
        }
        // An existing index can't keep a name that a missing target index needs.
        let missing = Set(target.indexes.filter { kept[$0] == nil }.map { SQLName.key($0.name) })
        var dropped: [String] = []
        for (wanted, name) in kept where missing.contains(SQLName.key(name)) {
            kept[wanted] = nil
            dropped.append(name)
        }
        for (_, index, newNames) in free {
            let isOurs = SQLName.key(index.name).hasPrefix("Z")
            if isOurs || index.columns.contains(where: { newNames[$0.key] == nil })
                || missing.contains(SQLName.key(index.name))
            {
                dropped.append(index.name)
            }
        }
        return (Set(kept.keys), dropped.sorted())
    }
}
