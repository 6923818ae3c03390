import Schema

/// The SQL that makes the tables and indexes of a new store, spelled as Core Data spells it (COREDATA_FORMATS §3.2, §3.4, §3.6).
struct StoreSchema {
    let layout: StoreLayout
    private var model: ManagedObjectModel { layout.model }

    init(_ layout: StoreLayout) {
        self.layout = layout
    }

    /// In the order to be run.
    var statements: [String] {
        entityTables + joinTables + indexes + [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        ]
    }

    // MARK: Tables

    private var entityTables: [String] {
        layout.storedEntities.filter { $0.number == $0.rootNumber }.map { root in
            let columns = columns(ofHierarchy: root).enumerated()
                .sorted { ($0.element.type.rank, $0.offset) < ($1.element.type.rank, $1.offset) }
                .map { ", \(SQLName.quoted($0.element.name)) \($0.element.type.rawValue)" }
            return "CREATE TABLE \(SQLName.quoted(root.table)) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns.joined()) )"
        }
    }

    /// The columns of a hierarchy in the order in which they got their names.
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

    private func ownProperties(of storage: EntityStorage) -> [Property] {
        let entity = model.entities[storage.entityIndex]
        return entity.properties[(entity.superentity?.properties.count ?? 0)...].sorted { $0.name < $1.name }
    }

    private var keysWithoutInverse: [ToManyKey] {
        layout.storedEntities.flatMap { storage in
            ownProperties(of: storage).compactMap { property in
                guard case .toMany(let key) = storage.properties[property.index], key.inverseIndex == nil else { return nil }
                return key
            }
        }
    }

    /// Each join table once, as the side that names it sees it.
    private var namingSides: [JoinTable] {
        var seen: Set<String> = []
        return layout.storedEntities.flatMap { storage in
            ownProperties(of: storage).compactMap { property -> JoinTable? in
                guard case .manyToMany(let join) = storage.properties[property.index],
                    join.table == "Z_\(storage.number)\(property.name.uppercased())", seen.insert(join.table).inserted
                else { return nil }
                return join
            }
        }
    }

    private var joinTables: [String] {
        namingSides.map { join in
            let (owner, member) = (SQLName.quoted(join.ownerColumn), SQLName.quoted(join.memberColumn))
            let orders = [join.ownerOrder, join.memberOrder].compactMap { $0 }.map { ", \(SQLName.quoted($0)) INTEGER" }.joined()
            return "CREATE TABLE \(SQLName.quoted(join.table)) ( \(owner) INTEGER, \(member) INTEGER\(orders), PRIMARY KEY (\(owner), \(member)) )"
        }
    }

    // MARK: Indexes

    private var indexes: [String] {
        var statements: [String] = []
        var names: Set<String> = []
        func add(_ name: String, unique: Bool = false, on table: String, _ columns: [String]) {
            guard !columns.isEmpty, names.insert(SQLName.key(name)).inserted else { return }
            let list = columns.joined(separator: ", ")
            statements.append("CREATE \(unique ? "UNIQUE " : "")INDEX \(SQLName.quoted(name)) ON \(SQLName.quoted(table)) (\(list))")
        }
        for storage in layout.storedEntities {
            for property in ownProperties(of: storage) {
                guard case .toOne(let toOne) = storage.properties[property.index] else { continue }
                add("\(storage.table)_\(toOne.key)_INDEX", on: storage.table, [SQLName.quoted(toOne.key)])
            }
            if storage.number == storage.rootNumber, storage.sharesTable {
                add("\(storage.table)_Z_ENT_INDEX", on: storage.table, ["Z_ENT"])
            }
        }
        for key in keysWithoutInverse { add("\(key.table)_\(key.key)_INDEX", on: key.table, [SQLName.quoted(key.key)]) }
        for join in namingSides {
            add("\(join.table)_\(join.memberColumn)_INDEX", on: join.table, [SQLName.quoted(join.memberColumn), SQLName.quoted(join.ownerColumn)])
        }
        for storage in layout.storedEntities {
            let description = model.entities[storage.entityIndex].description
            for index in description.indexes {
                add("Z_\(description.name)_\(index.name)", on: storage.table, index.elements.flatMap { element in
                    terms(element.propertyName, in: storage, direction: element.isAscending ? "ASC" : "DESC")
                })
            }
            for attribute in description.attributes where attribute.isIndexed {
                add("Z_\(description.name)_\(attribute.name)", on: storage.table, terms(attribute.name, in: storage))
            }
            for names in description.compoundIndexes {
                add("Z_\(description.name)_\(names.joined(separator: "_"))", on: storage.table, names.flatMap { terms($0, in: storage) })
            }
            for names in description.uniquenessConstraints {
                add(
                    "Z_\(description.name)_UNIQUE_\(names.joined(separator: "_"))", unique: true, on: storage.table,
                    names.flatMap { terms($0, in: storage) })
            }
        }
        return statements
    }

    private func terms(_ name: String?, in storage: EntityStorage, direction: String = "ASC") -> [String] {
        guard let name, let index = model.entities[storage.entityIndex].propertyIndex(named: name) else { return [] }
        let columns: [String] =
            switch storage.properties[index] {
            case .attribute(let column): [column.name]
            case .composite(let leaves): leaves.map(\.column.name)
            case .toOne(let toOne): [toOne.key]
            case .none, .toMany, .manyToMany: []
            }
        return columns.map { "\(SQLName.quoted($0)) COLLATE BINARY \(direction)" }
    }
}

/// The declared types of columns.
enum ColumnType: String {
    case integer = "INTEGER"
    case float = "FLOAT"
    case timestamp = "TIMESTAMP"
    case decimal = "DECIMAL"
    case varchar = "VARCHAR"
    case blob = "BLOB"

    init(_ type: AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64, .boolean: .integer
            case .double, .float: .float
            case .date: .timestamp
            case .decimal: .decimal
            case .string, .uri: .varchar
            case .uuid, .binary, .transformable, .undefined, .objectID, .composite: .blob
            }
    }

    /// Columns stand in this order, those of one rank as they were named.
    var rank: Int {
        switch self {
        case .integer: 0
        case .float, .timestamp: 1
        case .decimal: 2
        case .varchar: 3
        case .blob: 4
        }
    }
}
