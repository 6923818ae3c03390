import Schema
import Storage

/// The SQL that creates the tables, indexes and triggers of a new store, spelled as Core Data
/// spells it.
struct StoreSchema {
    let layout: StoreLayout
    private var model: ManagedObjectModel { layout.model }

    init(_ layout: StoreLayout) {
        self.layout = layout
    }

    /// The statements in the order of execution.
    /// - Throws: `StorageError` if the model has a derivation that no store supports.
    var statements: [String] {
        get throws(StorageError) { try tableStatements + triggers().map(\.statement) }
    }

    private var tableStatements: [String] {
        entityTables + joinTables + indexStatements + layout.sideIndexes.statements + [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        ]
    }

    // MARK: Tables

    private var entityTables: [String] { tables.map { $0.statement() } }

    /// The tables of the hierarchies, with their columns in table order.
    var tables: [TableDefinition] {
        layout.storedEntities.filter { $0.number == $0.rootNumber }.map { root in
            let columns = columns(ofHierarchy: root).enumerated()
                .sorted { ($0.element.type.rank, $0.offset) < ($1.element.type.rank, $1.offset) }
                .map { TableDefinition.Column(name: $0.element.name, type: $0.element.type) }
            return TableDefinition(name: root.table, columns: columns)
        }
    }

    /// The columns of a hierarchy in the order in which their names were assigned.
    private func columns(ofHierarchy root: EntityStorage) -> [(name: String, type: ColumnType)] {
        var columns: [(name: String, type: ColumnType)] = []
        for storage in layout.storedEntities where storage.rootNumber == root.number {
            let own = ownProperties(of: storage)
            for property in own {
                switch storage.properties[property.index] {
                case .attribute(let column): columns.append((column.name, ColumnType(column.type)))
                case .composite(let leaves): columns += leaves.map { ($0.column.name, ColumnType($0.column.type)) }
                default: break
                }
            }
            for property in own {
                guard case .toOne(let toOne) = storage.properties[property.index] else { continue }
                columns += [toOne.key, toOne.entity, toOne.order].compactMap { $0 }.map { ($0, .integer) }
            }
        }
        for key in keysWithoutInverse where key.table == root.table {
            columns += [key.key, key.order].compactMap { $0 }.map { ($0, .integer) }
        }
        return columns
    }

    private func ownProperties(of storage: EntityStorage) -> [PropertyDescription] {
        let entity = model.entities[storage.entityIndex]
        return entity.properties[(entity.superentity?.properties.count ?? 0)...].sorted { $0.name < $1.name }
    }

    private var keysWithoutInverse: [ToManyKey] {
        layout.storedEntities.flatMap { storage in
            ownProperties(of: storage).compactMap { property in
                guard case .toMany(let key) = storage.properties[property.index], key.inverseIndex == nil else {
                    return nil
                }
                return key
            }
        }
    }

    /// Each join table once, as seen from the relationship after which it is named, or from the
    /// first one if it has another name.
    var namingSides: [(storage: EntityStorage, property: PropertyDescription, join: JoinTable)] {
        var sides: [(storage: EntityStorage, property: PropertyDescription, join: JoinTable)] = []
        var places: [String: Int] = [:]
        for storage in layout.storedEntities {
            for property in ownProperties(of: storage) {
                guard case .manyToMany(let join) = storage.properties[property.index] else { continue }
                let key = SQLName.key(join.table)
                if let place = places[key] {
                    if key == SQLName.key("Z_\(storage.number)\(property.name.uppercased())") {
                        sides[place] = (storage, property, join)
                    }
                } else {
                    places[key] = sides.count
                    sides.append((storage, property, join))
                }
            }
        }
        return sides
    }

    /// Each join table once, as seen from the relationship that names it.
    var joins: [JoinTable] { namingSides.map(\.join) }

    private var joinTables: [String] { joins.map { $0.statement() } }

    // MARK: Indexes

    private var indexStatements: [String] { indexes.map(\.statement) }

    /// The indexes; each name occurs once.
    var indexes: [IndexDefinition] {
        var definitions: [IndexDefinition] = []
        var names: Set<String> = []
        func add(
            _ name: String, on table: String, _ columns: [IndexDefinition.Column],
            constraint: IndexDefinition.Constraint? = nil
        ) {
            guard !columns.isEmpty else { return }
            // A constraint holds even if an index of another entity has the name of its own.
            let isNew = names.insert(SQLName.key(name)).inserted
            guard isNew || constraint != nil else { return }
            let name = isNew ? name : LayoutBuilder.freeName(name) { names.contains($0) }
            names.insert(SQLName.key(name))
            definitions.append(IndexDefinition(name: name, table: table, columns: columns, constraint: constraint))
        }
        func plain(_ columns: String...) -> [IndexDefinition.Column] {
            columns.map { IndexDefinition.Column(name: $0, direction: nil) }
        }
        for storage in layout.storedEntities {
            for property in ownProperties(of: storage) {
                guard case .toOne(let toOne) = storage.properties[property.index] else { continue }
                add("\(storage.table)_\(toOne.key)_INDEX", on: storage.table, plain(toOne.key))
            }
            if storage.number == storage.rootNumber, storage.sharesTable {
                add("\(storage.table)_Z_ENT_INDEX", on: storage.table, plain("Z_ENT"))
            }
        }
        for key in keysWithoutInverse { add("\(key.table)_\(key.key)_INDEX", on: key.table, plain(key.key)) }
        for join in joins {
            add("\(join.table)_\(join.memberColumn)_INDEX", on: join.table, plain(join.memberColumn, join.ownerColumn))
        }
        for storage in layout.storedEntities {
            let description = model.entities[storage.entityIndex].definition
            for index in description.indexes {
                add(
                    "Z_\(description.name)_\(index.name)", on: storage.table,
                    index.elements.flatMap { element in
                        terms(element.propertyName, in: storage, direction: element.isAscending ? "ASC" : "DESC")
                    })
            }
            for attribute in description.attributes where attribute.isIndexed {
                add("Z_\(description.name)_\(attribute.name)", on: storage.table, terms(attribute.name, in: storage))
            }
            for names in description.compoundIndexes {
                add(
                    "Z_\(description.name)_\(names.joined(separator: "_"))", on: storage.table,
                    names.flatMap { terms($0, in: storage) })
            }
            for names in description.uniquenessConstraints {
                add(
                    "Z_\(description.name)_UNIQUE_\(names.joined(separator: "_"))", on: storage.table,
                    names.flatMap { terms($0, in: storage) },
                    constraint: IndexDefinition.Constraint(entity: description.name, attributes: names))
            }
        }
        return definitions
    }

    private func terms(_ name: String?, in storage: EntityStorage, direction: String = "ASC") -> [IndexDefinition
        .Column]
    {
        guard let name, let index = model.entities[storage.entityIndex].propertyIndex(named: name) else { return [] }
        let columns: [String] =
            switch storage.properties[index] {
            case .attribute(let column): [column.name]
            case .composite(let leaves): leaves.map(\.column.name)
            case .toOne(let toOne): [toOne.key]
            case .none, .toMany, .manyToMany: []
            }
        return columns.map { IndexDefinition.Column(name: $0, direction: direction) }
    }
}
