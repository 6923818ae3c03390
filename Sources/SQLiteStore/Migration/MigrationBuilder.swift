import Schema
import SQLiteKit
import Storage

/// Determines the origin of every table and column from the layouts of both versions.
///
/// Invariants:
/// 1. No rows are read: the result depends only on the plan and on the tables of the file.
/// 2. The result is the layout of a new store of the new version.
struct MigrationBuilder {
    let plan: MigrationPlan
    let old: StoreLayout
    let new: StoreLayout
    /// The tables of the old store, including the temporary columns made from join tables.
    private(set) var tables: [String: StoredTable]

    init(_ plan: MigrationPlan, old: StoreLayout, new: StoreLayout, connection: Connection) throws {
        self.plan = plan
        self.old = old
        self.new = new
        var names = Set(old.storedEntities.map(\.table))
        for storage in old.storedEntities {
            for case .manyToMany(let join) in storage.properties { names.insert(join.table) }
        }
        var tables: [String: StoredTable] = [:]
        for name in names { tables[SQLName.key(name)] = try StoredTable.read(name, from: connection) }
        self.tables = tables
        for made in columnsOfJoins() {
            self.tables[SQLName.key(made.table)] = table(made.table)?.adding(
                [made.key, made.entity, made.order], ColumnOfJoin.type)
        }
    }

    func table(_ name: String) -> StoredTable? { tables[SQLName.key(name)] }

    /// The storage of the entity's former version; nil if the entity is new in this store.
    func formerStorage(of entityIndex: Int) -> EntityStorage? {
        plan.steps[entityIndex].flatMap { old[$0.sourceIndex] }
    }

    /// The former storage of a property of the new version; nil if it is new.
    func formerStorage(entityIndex: Int, propertyIndex: Int) -> (
        property: PropertyDescription, storage: PropertyStorage
    )? {
        guard let place = plan.originIndex(entityIndex: entityIndex, propertyIndex: propertyIndex),
            let storage = formerStorage(of: entityIndex)
        else { return nil }
        return (plan.source.entities[storage.entityIndex].properties[place], storage.properties[place])
    }

    // MARK: Tables

    func tableChanges() -> [TableChange] {
        let schema = StoreSchema(new)
        var changes = schema.tables.map { definition -> TableChange in
            let storages = new.storedEntities.filter { $0.table == definition.name }
            let former = storages.compactMap { formerStorage(of: $0.entityIndex) }
            let source = former.first.flatMap { table($0.table) }
            var change = TableChange(
                definition,
                of: storages.first.map { plan.destination.entities[$0.entityIndex].name } ?? definition.name,
                source: source, sourceIsShared: former.first?.sharesTable ?? false)
            change.rows = storages.compactMap {
                rows(of: $0, columns: Set(definition.columns.map { SQLName.key($0.name) }))
            }
            if let source {
                let kept = Set(former.map(\.number))
                change.leftOut = old.storedEntities.filter { $0.table == source.name && !kept.contains($0.number) }.map(
                    \.number)
            }
            return change
        }
        let uses = Dictionary(grouping: changes.compactMap { $0.source?.name }, by: { $0 })
        for index in changes.indices {
            if let name = changes[index].source?.name { changes[index].sharesSource = (uses[name]?.count ?? 0) > 1 }
        }
        return changes
    }

    /// The rows of an index of the new version, before the migration, as a query with its columns
    /// and `Z_PK`; nil if there are none, or if temporary columns are needed for them.
    func oldRows(of index: IndexDefinition) -> String? {
        guard let change = tableChanges().first(where: { $0.definition.name == index.table }),
            let source = change.source, !change.rows.isEmpty, columnsOfJoins().isEmpty
        else { return nil }
        let columns = index.columns.compactMap { wanted in
            change.definition.columns.first { $0.name == wanted.name }.map {
                "\(change.cellExpression($0)) AS \(SQLName.quoted($0.name))"
            }
        }
        guard columns.count == index.columns.count else { return nil }
        let numbers = change.rows.map { String($0.sourceNumber) }.joined(separator: ", ")
        return
            "(SELECT \((["Z_PK"] + columns).joined(separator: ", ")) FROM \(SQLName.quoted(source.name))\(change.sourceIsShared ? " WHERE Z_ENT IN (\(numbers))" : ""))"
    }

    private func rows(of storage: EntityStorage, columns: Set<String>) -> TableChange.Rows? {
        guard let former = formerStorage(of: storage.entityIndex) else { return nil }
        var rows = TableChange.Rows(
            sourceNumber: former.number, number: storage.number, cells: [:], formerColumns: ownColumns(of: former))
        for property in plan.destination.entities[storage.entityIndex].properties {
            switch storage.properties[property.index] {
            case .none, .toMany, .manyToMany: continue
            case .attribute(let column):
                rows.cells[SQLName.key(column.name)] = attributeCell(property, column, storage.entityIndex)
            case .composite(let leaves):
                for leaf in leaves {
                    rows.cells[SQLName.key(leaf.column.name)] = leafCell(property, leaf, storage.entityIndex)
                }
            case .toOne(let toOne):
                if let counterpart = plan.counterpartIndex(
                    entityIndex: storage.entityIndex, propertyIndex: property.index)
                {
                    addCounterpart(counterpart, toOne, to: &rows)
                    continue
                }
                add(
                    references(of: property, entityIndex: storage.entityIndex), key: toOne.key, entity: toOne.entity,
                    order: toOne.order,
                    destination: toOne.destinationIndex, to: &rows)
            }
        }
        for (key, references) in keysWithoutInverse(of: storage.entityIndex) {
            add(references, key: key.key, entity: nil, order: key.order, destination: nil, to: &rows)
        }
        return rows
    }

    /// The columns with values of an entity's rows, by key.
    private func ownColumns(of storage: EntityStorage) -> Set<String> {
        var names: [String] = []
        for property in storage.properties {
            switch property {
            case .none, .toMany, .manyToMany: continue
            case .attribute(let column): names.append(column.name)
            case .composite(let leaves): names += leaves.map(\.column.name)
            case .toOne(let toOne): names += [toOne.key, toOne.entity, toOne.order].compactMap { $0 }
            }
        }
        for other in old.storedEntities {
            for case .toMany(let key) in other.properties where key.inverseIndex == nil && key.table == storage.table {
                names += [key.key, key.order].compactMap { $0 }
            }
        }
        return Set(names.map(SQLName.key))
    }
}
