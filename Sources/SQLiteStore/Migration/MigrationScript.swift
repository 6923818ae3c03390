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
    private let occupied: OccupiedNames
    /// The names of all tables after the statements so far, by key.
    private var names: Set<String>
    private var renames: [(from: String, to: String)] = []
    /// The indexes of tables that are kept, by the table's new name.
    private var indexes: [(table: String, index: StoredTable.Index, newNames: [String: String])] = []

    init(
        _ builder: MigrationBuilder, catalog: StoreCatalog, occupied: OccupiedNames, makesSideIndexes: Bool
    ) throws {
        self.builder = builder
        self.catalog = catalog
        self.occupied = occupied
        target = StoreSchema(builder.new)
        names = Set(occupied.kinds.keys)
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
        for index in dropped { dropIndex(index) }

        for made in builder.columnsOfJoins() { steps += made.steps }
        addLinks(links)
        addTables(changes, alterations)
        try addRenames()
        addOrders(changes)
        addEntityNumbers(changes)
        for index in target.indexes where !kept.contains(index) { addIndex(index) }
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

    private mutating func dropIndex(_ name: String) {
        names.remove(SQLName.key(name))
        steps.append(MigrationStep(.schema, "drop the index \(name)", "DROP INDEX \(SQLName.quoted(name))"))
    }

    private mutating func drop(_ table: String) {
        let key = SQLName.key(table)
        names.remove(key)
        // Its indexes go with it.
        for (name, kind) in occupied.kinds where kind == .index(table: key) { names.remove(name) }
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
            if let source = change.renamedSource, uses[source.table]?.count == 1, hasNoOtherColumns(source) {
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

    /// Whether a join table has no columns but those of its relationship, with which their new
    /// names could clash.
    private func hasNoOtherColumns(_ source: LinkChange.Source) -> Bool {
        let known = [source.owner, source.member, source.memberOrder, source.ownerOrder].compactMap { $0 }
        return builder.table(source.table)?.columns.count == known.count
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

    private mutating func addRenames() throws {
        try makeRoom()
        for (old, new) in Renaming(renames, among: names).ordered {
            steps.append(
                MigrationStep(
                    .schema, "rename the table \(old) to \(new)",
                    "ALTER TABLE \(SQLName.quoted(old)) RENAME TO \(SQLName.quoted(new))"))
        }
        for (old, _) in renames { names.remove(SQLName.key(old)) }
        for (_, new) in renames { names.insert(SQLName.key(new)) }
    }

    /// Frees names of the new version that tables, views or indexes have that are none of the
    /// model's. Such tables keep their rows under another name.
    private mutating func makeRoom() throws {
        let leaving = Set(renames.map { SQLName.key($0.from) })
        for (_, name) in renames {
            let key = SQLName.key(name)
            guard names.contains(key), !leaving.contains(key) else { continue }
            switch occupied.kinds[key] {
            case .index: dropIndex(name)
            case .view:
                throw StorageError(
                    .unsupported, "The database has a view \(name), and the new version has a table of that name")
            case .table, nil:
                let free = LayoutBuilder.freeName(name + "_OLD") { names.contains($0) }
                names.insert(SQLName.key(free))
                steps.append(
                    MigrationStep(
                        .schema, "rename the table \(name), which is none of the model's, to \(free)",
                        "ALTER TABLE \(SQLName.quoted(name)) RENAME TO \(SQLName.quoted(free))"))
                names.remove(key)
            }
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

    /// Fills the columns with the destinations' entity numbers that the old tables lacked.
    private mutating func addEntityNumbers(_ changes: [TableChange]) {
        var seen: Set<[String]> = []
        for storage in builder.new.storedEntities {
            for case .toOne(let toOne) in storage.properties {
                guard let entity = toOne.entity, let destination = builder.new[toOne.destinationIndex],
                    let change = changes.first(where: { $0.definition.name == storage.table }),
                    change.rows.contains(where: { rows in
                        (rows.cells[SQLName.key(toOne.key)] ?? .null) != .null
                            && rows.cells[SQLName.key(entity)] == .null
                    }), seen.insert([storage.table, entity]).inserted
                else { continue }
                let (table, column) = (SQLName.quoted(storage.table), SQLName.quoted(entity))
                let key = SQLName.quoted(toOne.key)
                steps.append(
                    MigrationStep(
                        .rows, "note the entities that \(storage.table).\(toOne.key) leads to",
                        "UPDATE \(table) SET \(column) = (SELECT d.Z_ENT FROM \(SQLName.quoted(destination.table)) d "
                            + "WHERE d.Z_PK = \(table).\(key)) WHERE \(column) IS NULL AND \(key) IS NOT NULL",
                        table: storage.table))
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

    /// Makes an index, under another name if a table or an index that stays has its own.
    private mutating func addIndex(_ index: IndexDefinition) {
        let index = index.renamed(LayoutBuilder.freeName(index.name) { names.contains($0) })
        names.insert(SQLName.key(index.name))
        steps.append(
            MigrationStep(
                .index, "make the index \(index.name)", index.statement, table: index.table,
                constraint: index.constraint == nil ? nil : index))
    }

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
            // A condition or an expression may name a column that goes.
            if isOurs || !index.isPlain || index.columns.contains(where: { newNames[$0.key] == nil })
                || missing.contains(SQLName.key(index.name))
            {
                dropped.append(index.name)
            }
        }
        return (Set(kept.keys), dropped.sorted())
    }
}
