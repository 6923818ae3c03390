import Foundation
import ModelFiles
import SQLiteFile
import SQLiteKit
import Schema
import Storage

/// Finds the tables of a damaged store, by its schema as far as that is readable, and else by the
/// form of their rows.
struct StoreRecovery {
    let database: DamagedDatabase
    private(set) var findings: [ReferenceFinding]
    /// By key (`SQLName.key`).
    private var tables: [String: SalvagedTable] = [:]
    /// Tables whose schema entry is damaged, with the columns that could be read.
    private var nameless: [SalvagedTable] = []
    private(set) var entities: [StoreCatalog.NumberedEntity] = []
    /// The greatest allocated primary keys, by the number of the hierarchy's root entity.
    private(set) var greatestKeys: [Int64: Int64] = [:]
    private(set) var metadata: StoreMetadata?
    private(set) var cachedModel: Data?
    /// Whether the store's list of entities is complete.
    private var knowsEntities = false
    /// Whether the file has any content that is specific to a store.
    private(set) var hasTraces = false

    private static let metadataTable = SalvagedTable(
        name: "Z_METADATA", columnNames: ["Z_VERSION", "Z_UUID", "Z_PLIST"])
    private static let entityTable = SalvagedTable(
        name: "Z_PRIMARYKEY", columnNames: ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"])
    private static let modelTable = SalvagedTable(name: "Z_MODELCACHE", columnNames: ["Z_CONTENT"])

    /// Opens a copy that no other connection has open, and reads its schema, metadata and entities.
    init(_ path: String) throws {
        database = try DamagedDatabase(path)
        findings = database.findings.map { ReferenceFinding("the file \($0)") }
        readSchema()
        readMetadata()
        readEntities()
        cachedModel =
            rows(Self.modelTable, form: "b") { row, table in
                table.column("Z_CONTENT").flatMap { table.cell($0, row).blob }.map { Data($0) }
            }.values.first
    }

    mutating func report(_ message: String, object: String? = nil) {
        findings.append(ReferenceFinding(message, object: object))
    }

    // MARK: Metadata of the store

    private mutating func readSchema() {
        let tree = database.tree(root: 1)
        var isWhole = tree.lost.isEmpty && !tree.isDamaged
        var found: [(name: String, statement: String, root: Int)] = []
        for leaf in tree.leaves {
            let isWholeLeaf = database.forEachRow(ofLeaf: leaf.page) { row in
                guard row.isSound, let type = database.text(row[0]), let root = row[3].integer else {
                    return isWhole = false
                }
                let statement = database.text(row[4]) ?? ""
                guard type == "table" || statement.uppercased().hasPrefix("CREATE TABLE") else { return }
                // Virtual tables have no rows of their own.
                guard root > 0 else { return }
                if type != "table" || !statement.hasPrefix("CREATE TABLE ") { isWhole = false }
                found.append((database.text(row[1]) ?? "", statement, Int(clamping: root)))
            }
            isWhole = isWhole && isWholeLeaf
        }
        if !isWhole { report("the schema is damaged") }
        hasTraces = !found.isEmpty
        for (name, statement, root) in found {
            let table = SalvagedTable(name: name, columns: SalvagedTable.columns(of: statement), root: root)
            let key = SQLName.key(name)
            if tables[key] == nil, SalvagedTable.name(in: statement).map(SQLName.key) == key {
                tables[key] = table
            } else {
                nameless.append(table)
            }
        }
    }

    /// Whether a row has values of these kinds: `n` for NULL, `i` for an integer, `t` for text, `b`
    /// for a blob, whose bytes may be on other pages.
    private static func resembles(_ row: SalvagedRow, _ form: String) -> Bool {
        row.cells.count == form.count
            && zip(row.cells, form).allSatisfy { cell, kind in
                switch cell {
                case .null: kind == "n"
                case .integer: kind == "i"
                case .text: kind == "t"
                case .blob, .unreadable: kind == "b"
                case .real: false
                }
            }
    }

    /// The results of `read` for the rows of a small table. If the schema does not refer to the
    /// table, its rows are found by their form.
    private mutating func rows<Value>(
        _ expected: SalvagedTable, form: String, _ read: (SalvagedRow, SalvagedTable) -> Value?
    ) -> (values: [Value], isWhole: Bool) {
        var values: [Value] = [], isWhole = false
        let key = SQLName.key(expected.name)
        var table = tables[key] ?? expected
        // If the definition is damaged, the standard definition is more reliable.
        if !expected.columns.allSatisfy({ table.column($0.name) != nil }) { table.columns = expected.columns }
        if let root = table.root {
            table.tree = database.tree(root: root)
            isWhole = table.tree.lost.isEmpty && !table.tree.isDamaged
            if releaseStrangers(&table, standard: expected, form) { isWhole = false }
            for leaf in table.tree.leaves {
                let isWholeLeaf = database.forEachRow(ofLeaf: leaf.page) { row in
                    let value = read(row, table)
                    if let value { values.append(value) }
                    if !row.isSound || value == nil { isWhole = false }
                }
                isWhole = isWhole && isWholeLeaf
            }
        }
        guard values.isEmpty, !isWhole else { return (values, isWhole) }
        for page in database.strayLeaves() {
            let heads = database.heads(ofLeaf: page)
            guard !heads.isEmpty, heads.allSatisfy({ Self.resembles($0, form) }) else { continue }
            _ = database.forEachRow(ofLeaf: page) { row in
                if let value = read(row, expected) { values.append(value) }
            }
            guard !values.isEmpty else { continue }
            database.take(page)
            break
        }
        return (values, isWhole)
    }

    /// Releases pages that belong to the b-tree of a small table but have rows of another table,
    /// for example after a misplaced write to the root page.
    /// - Returns: whether there were any.
    private func releaseStrangers(_ table: inout SalvagedTable, standard: SalvagedTable, _ form: String) -> Bool {
        // The expected form is known only for the standard definition.
        guard table.columns.map(\.name) == standard.columns.map(\.name) else { return false }
        let strange = table.tree.leaves.filter { leaf in
            let heads = database.heads(ofLeaf: leaf.page)
            return !heads.isEmpty && !heads.contains { Self.resembles($0, form) }
        }
        strange.forEach(database.release)
        let pages = Set(strange.map(\.page))
        table.tree.leaves.removeAll { pages.contains($0.page) }
        return !strange.isEmpty
    }

    private mutating func readMetadata() {
        var reason: String?
        let database = database
        let found = rows(Self.metadataTable, form: "ntb") { row, table -> StoreMetadata? in
            guard let uuid = table.column("Z_UUID").flatMap({ database.text(table.cell($0, row)) }),
                let list = table.column("Z_PLIST").flatMap({ table.cell($0, row).blob })
            else { return nil }
            do { return try StoreMetadata(uuid: uuid, propertyList: list) } catch {
                reason = "\(error)"
                return nil
            }
        }
        metadata = found.values.first
        if metadata == nil {
            report("the metadata can't be read" + (reason.map { ": \($0)" } ?? ""))
        } else if !found.isWhole {
            report("the metadata are damaged")
        }
    }

    private mutating func readEntities() {
        let database = database
        let found = rows(Self.entityTable, form: "ntii") {
            row, table -> (entity: StoreCatalog.NumberedEntity, greatest: Int64)? in
            func cell(_ name: String) -> SalvagedCell { table.column(name).map { table.cell($0, row) } ?? .null }
            // The stored value of a rowid column says nothing: SQLite reads the rowid.
            guard row.key > 0, let name = database.text(cell("Z_NAME")) else { return nil }
            return (
                StoreCatalog.NumberedEntity(number: row.key, name: name, parent: cell("Z_SUPER").integer ?? 0),
                cell("Z_MAX").integer ?? 0
            )
        }
        var names: Set<String> = []
        for (entity, greatest) in found.values.sorted(by: { $0.entity.number < $1.entity.number })
        where names.insert(entity.name).inserted {
            if entities.last?.number == entity.number { continue }
            entities.append(entity)
            if greatest > 0 { greatestKeys[entity.number] = greatest }
        }
        knowsEntities = found.isWhole
        if !found.isWhole { report("the numbers of the entities can't all be read") }
        hasTraces = hasTraces || metadata != nil || !entities.isEmpty
    }

    /// The greatest keys by the names of the entities. A number that no store reaches is damage.
    var greatestKeysByName: [String: Int64] {
        Dictionary(
            entities.compactMap { entity in
                greatestKeys[entity.number].flatMap { $0 < 1 << 48 ? (entity.name, $0) : nil }
            }, uniquingKeysWith: max)
    }

    // MARK: The model's tables

    /// The layout of a model in this store.
    mutating func layout(_ model: ManagedObjectModel) throws -> StoreLayout {
        var catalog = catalog
        let known = Set(entities.map(\.name))
        if !knowsEntities || entities.isEmpty, !model.entities.allSatisfy({ known.contains($0.name) }) {
            try addNumbers(model, &catalog)
        }
        let found = try? StoreLayout.reading(model, from: catalog)
        if let found, found.missing.isEmpty { return found }
        let numbers = EntityNumbering.stored(for: model, in: catalog)
        let expected = StoreSchema(try LayoutBuilder.layout(expecting: model, numbers: numbers))
        var wanted: [SalvagedTable] = []
        for table in expected.tables where found.map({ !Self.isWhole(table, in: $0) }) ?? true {
            wanted.append(
                SalvagedTable(name: table.name, columnNames: ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)))
        }
        for (storage, property, join) in expected.namingSides {
            if case .manyToMany? = found?[storage.entityIndex]?.properties[property.index] { continue }
            let orders = [join.ownerOrder, join.memberOrder].compactMap { $0 }
            wanted.append(SalvagedTable(name: join.table, columnNames: [join.ownerColumn, join.memberColumn] + orders))
        }
        for table in wanted where tables[SQLName.key(table.name)] == nil { addTable(table) }
        for table in wanted { addColumns(table) }
        return try StoreLayout.reading(model, from: self.catalog(numbering: catalog.entities))
    }

    /// Whether a layout has the table, with all columns of its entities.
    private static func isWhole(_ table: TableDefinition, in layout: StoreLayout) -> Bool {
        let entities = layout.storedEntities.filter { SQLName.key($0.table) == SQLName.key(table.name) }
        return !entities.isEmpty
            && entities.allSatisfy { storage in
                layout.missingParts(of: storage.entityIndex).allSatisfy { part in
                    let properties = layout.model.entities[storage.entityIndex].properties
                    return part.propertyIndex.map { properties[$0].isToMany } ?? false
                }
            }
    }

    private var catalog: StoreCatalog { catalog(numbering: entities) }

    private func catalog(numbering entities: [StoreCatalog.NumberedEntity]) -> StoreCatalog {
        StoreCatalog(
            tables: tables.values.map { StoreCatalog.Table(name: $0.name, columns: $0.columns.map(\.name)) },
            entities: entities)
    }

    private mutating func addNumbers(_ model: ManagedObjectModel, _ catalog: inout StoreCatalog) throws {
        report("the numbers of some entities are lost: those of a new store are taken")
        let new = try EntityNumbering.new(for: model, configuration: nil)
        var numbers = Dictionary(entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        var taken = Set(numbers.values)
        for entity in model.entities where numbers[entity.name] == nil {
            guard let number = new[entity.index], taken.insert(number).inserted else { continue }
            numbers[entity.name] = number
            catalog.entities.append(
                StoreCatalog.NumberedEntity(
                    number: number, name: entity.name, parent: entity.superentity.flatMap { numbers[$0.name] } ?? 0))
        }
        catalog.entities.sort { $0.number < $1.number }
    }

    /// Uses the unnamed table that has most of the missing table's columns. If there is none, the
    /// table can be located only by its rows.
    private mutating func addTable(_ wanted: SalvagedTable) {
        let names = Set(wanted.columns.map { SQLName.key($0.name) })
        // Look up the names in the tables, not the other way round: a damaged table may have very
        // many columns.
        let shares = nameless.map { table in
            2 * table.columns.count > names.count ? names.count { table.column(key: $0) != nil } : 0
        }
        var table = wanted
        if let (index, share) = shares.enumerated().max(by: { $0.element < $1.element }), 2 * share > names.count {
            let found = nameless.remove(at: index)
            table = SalvagedTable(name: wanted.name, columns: found.columns, root: found.root)
            report("the definition of the table \(wanted.name) is damaged")
        } else {
            report("the definition of the table \(wanted.name) is lost: its rows are looked for by what they look like")
        }
        tables[SQLName.key(wanted.name)] = table
    }

    /// Repairs a definition in which columns were merged with the preceding ones, for example
    /// because a comma is damaged. The rows still have the fields of these columns, so the fields
    /// after them have greater indexes than the definition suggests.
    /// - Returns: Nil if the definition does not list expected columns in their order, or lacks
    ///   only columns at its end, whose order is unknown.
    private static func columnsWithMergedDefinitions(
        _ found: [SalvagedTable.Column], _ wanted: [SalvagedTable.Column]
    ) -> [SalvagedTable.Column]? {
        var rest = found[...], end = 0
        for (index, column) in wanted.enumerated() {
            guard let next = rest.first, SQLName.key(next.name) == SQLName.key(column.name) else { continue }
            rest = rest.dropFirst()
            end = index + 1
        }
        return rest.isEmpty && end > found.count ? Array(wanted[..<end]) : nil
    }

    /// Replaces damaged column names by the names that the model expects at their positions.
    private mutating func addColumns(_ wanted: SalvagedTable) {
        guard var table = tables[SQLName.key(wanted.name)] else { return }
        var missing = wanted.columns.filter { table.column($0.name) == nil }
        guard !missing.isEmpty else { return }
        if let columns = Self.columnsWithMergedDefinitions(table.columns, wanted.columns) {
            report("the definition of the table \(table.name) is damaged")
            table.columns = columns
            missing = wanted.columns.filter { table.column($0.name) == nil }
        }
        let names = Set(wanted.columns.map { SQLName.key($0.name) })
        let strange = table.columns.indices.filter { !names.contains(SQLName.key(table.columns[$0].name)) }
        if strange.count == missing.count {
            report("the definition of the table \(table.name) is damaged")
            var columns = table.columns
            for (index, column) in zip(strange, missing) {
                columns[index] = SalvagedTable.Column(
                    name: column.name, field: columns[index].field, standard: columns[index].standard)
            }
            table.columns = columns
        } else if table.columns.count < 3 || strange.count > missing.count && 2 * missing.count > wanted.columns.count {
            report(
                "the definition of the table \(table.name) is damaged: the columns are taken to be those of a new store"
            )
            table.columns = wanted.columns
        } else {
            for column in missing { report("the column \(table.name).\(column.name) is lost") }
            table.columns += missing.map { SalvagedTable.Column(name: $0.name, field: nil, standard: .null) }
        }
        tables[SQLName.key(wanted.name)] = table
    }

    // MARK: Rows

    /// The tables that a layout reads, each with the pages of its b-tree and its stray pages.
    mutating func tables(of layout: StoreLayout) -> [SalvagedTable] {
        let schema = StoreSchema(layout)
        var wanted: [SalvagedTable] = []
        for storage in layout.storedEntities where storage.number == storage.rootNumber {
            guard var table = tables[SQLName.key(storage.table)] else { continue }
            table.form = .objects(
                numbers: Set(layout.storedEntities.filter { $0.rootNumber == storage.number }.map(\.number)))
            wanted.append(table)
        }
        for join in schema.joins {
            guard var table = tables[SQLName.key(join.table)] else { continue }
            table.form = .links
            wanted.append(table)
        }
        for index in wanted.indices {
            if let root = wanted[index].root {
                wanted[index].tree = database.tree(root: root)
            } else {
                wanted[index].tree.isDamaged = true
            }
        }
        // Pages of other tables are not stray pages.
        let names = Set(wanted.map { SQLName.key($0.name) }),
            small = Set([Self.metadataTable, Self.entityTable, Self.modelTable].map { SQLName.key($0.name) })
        for (key, table) in tables where !names.contains(key) && !small.contains(key) {
            if let root = table.root { _ = database.tree(root: root) }
        }
        releaseStrangers(&wanted)
        adoptUnreachablePages(&wanted)
        return wanted
    }

    /// Releases pages that belong to a damaged b-tree but have rows of another table.
    private func releaseStrangers(_ wanted: inout [SalvagedTable]) {
        for index in wanted.indices {
            let table = wanted[index]
            let strange = table.tree.leaves.filter { leaf in
                let rows = database.heads(ofLeaf: leaf.page)
                guard let first = rows.first, !table.fits(first), !rows.contains(where: table.fits) else {
                    return false
                }
                return wanted.contains { $0.fits(first) }
            }
            guard !strange.isEmpty else { continue }
            let pages = Set(strange.map(\.page))
            wanted[index].tree.leaves.removeAll { pages.contains($0.page) }
            for leaf in strange {
                database.release(leaf)
                wanted[index].tree.lost.append(leaf.range)
            }
        }
    }

    /// Assigns pages that no b-tree refers to. A sound database has none. Free pages, whose rows
    /// were deleted, are not included.
    private func adoptUnreachablePages(_ wanted: inout [SalvagedTable]) {
        for page in database.strayLeaves() {
            let rows = database.heads(ofLeaf: page)
            guard !rows.isEmpty else { continue }
            let fitting = wanted.indices.filter { rows.allSatisfy(wanted[$0].fits) }
            let damaged = fitting.filter { !wanted[$0].tree.lost.isEmpty || wanted[$0].tree.isDamaged }
            let candidates = damaged.isEmpty && database.knowsFreePages ? fitting : damaged
            for index in candidates { wanted[index].tree.isDamaged = true }
            guard candidates.count == 1 else { continue }
            database.take(page)
            wanted[candidates[0]].tree.leaves.append(
                DamagedDatabase.Tree.Leaf(page: page, range: Int64.min...Int64.max))
        }
    }
}
