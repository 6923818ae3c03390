import Schema
import Storage

/// Determines the names of tables and columns for a model.
///
/// With a catalog every name is looked up in the file. Without one the builder chooses the name
/// that Core Data would choose. Both use the same code, so that a store created here is also found
/// here.
struct LayoutBuilder {
    let model: ManagedObjectModel
    let catalog: StoreCatalog?
    /// By entity. Those of entities whose table is missing are removed.
    private(set) var numbers: [Int64?]
    /// The entities whose table is missing.
    private(set) var tableless: Set<Int> = []
    /// The names in use in the table of each hierarchy.
    var usedNames: [Int: Set<String>] = [:]
    var tableNames: [Int: String] = [:]
    /// The storage of the properties that each entity declares itself, by
    /// `PropertyDescription.index`.
    var placed: [[Int: PropertyStorage]]
    private var missing: [MissingPart] = []

    /// The layout of a new store.
    static func layout(creating model: ManagedObjectModel, configuration: String?) throws(StorageError) -> StoreLayout {
        var builder = LayoutBuilder(
            model, catalog: nil, numbers: try EntityNumbering.new(for: model, configuration: configuration))
        return try builder.build()
    }

    /// The layout of an existing store. What the file lacks is listed in `StoreLayout.missing`.
    /// - Throws: `StorageError.damaged` if the file has none of the model's tables.
    static func layout(of model: ManagedObjectModel, in catalog: StoreCatalog) throws(StorageError) -> StoreLayout {
        var builder = LayoutBuilder(model, catalog: catalog, numbers: EntityNumbering.stored(for: model, in: catalog))
        return try builder.build()
    }

    /// The expected layout of a store with these entity numbers, if it was created like a new one.
    static func layout(expecting model: ManagedObjectModel, numbers: [Int64?]) throws(StorageError) -> StoreLayout {
        var builder = LayoutBuilder(model, catalog: nil, numbers: numbers)
        return try builder.build()
    }

    private init(_ model: ManagedObjectModel, catalog: StoreCatalog?, numbers: [Int64?]) {
        self.model = model
        self.catalog = catalog
        self.numbers = numbers
        placed = Array(repeating: [:], count: model.entities.count)
    }

    private mutating func build() throws(StorageError) -> StoreLayout {
        let stored = model.entities.filter { numbers[$0.index] != nil }
        for entity in stored where entity.superentity == nil { placeTable(of: entity) }
        if let first = stored.first, tableNames.isEmpty {
            throw StorageError(
                .damaged,
                "The store has no table of its model, such as \(Self.tableName(model.entities[first.rootIndex].name))",
                entities: [first.name])
        }
        // Names are assigned in the order of the entity numbers, which decides which of two columns
        // gets the suffix.
        for entity in stored.sorted(by: { (numbers[$0.index] ?? 0) < (numbers[$1.index] ?? 0) }) {
            placeColumns(of: entity)
        }
        let present = stored.filter { numbers[$0.index] != nil }
        placeJoinTables()
        for entity in present { placeToManys(of: entity) }

        var storages = [EntityStorage?](repeating: nil, count: model.entities.count)
        for entity in present {
            guard let number = numbers[entity.index], let table = tableNames[entity.rootIndex],
                let root = numbers[entity.rootIndex]
            else { continue }
            let inherited = entity.superentity.flatMap { storages[$0.index]?.properties } ?? []
            let own = entity.properties[inherited.count...].map { placed[entity.index][$0.index] ?? .none }
            storages[entity.index] = EntityStorage(
                entityIndex: entity.index, number: number, rootNumber: root, table: table,
                sharesTable: model.entities[entity.rootIndex].family.count > 1, properties: inherited + own)
        }
        let wanted = SideIndexes(wantedBy: model, storages.compactMap { $0 })
        return StoreLayout(
            model: model, storages: storages, sideIndexes: catalog.map(wanted.present) ?? wanted, missing: missing)
    }

    static func tableName(_ entityName: String) -> String { "Z" + entityName.uppercased() }

    private mutating func placeTable(of root: EntityDescription) {
        usedNames[root.index] = ["Z_PK", "Z_ENT", "Z_OPT"]
        // Names of roots can differ in case only.
        let taken = Set(tableNames.values.map(SQLName.key))
        let name = Self.freeName(Self.tableName(root.name)) { taken.contains($0) }
        guard let catalog else {
            tableNames[root.index] = name
            return
        }
        // A renamed entity may have kept its table.
        let storedName = catalog.entities.first { $0.number == numbers[root.index] }.map { Self.tableName($0.name) }
        let table = [name, storedName].lazy.compactMap { $0 }.filter { !taken.contains(SQLName.key($0)) }
            .compactMap { catalog.table($0) }.first
        if let table, let lacking = ["Z_PK", "Z_ENT", "Z_OPT"].first(where: { table.column($0) == nil }) {
            noteMissingTable("the column \(table.name).\(lacking) is missing, without which no rows can be read", root)
        } else if let table {
            tableNames[root.index] = table.name
        } else {
            noteMissingTable("the table \(name) of \(root.name) is missing", root)
        }
    }

    // MARK: Missing parts

    private mutating func noteMissingTable(_ message: String, _ root: EntityDescription) {
        for index in root.family {
            missing.append(MissingPart(entityIndex: index, message: index == root.index ? message : ""))
            guard numbers[index] != nil else { continue }
            numbers[index] = nil
            tableless.insert(index)
        }
    }

    mutating func noteMissing(
        _ message: String, _ property: PropertyDescription, path: [String] = [], of entity: EntityDescription
    ) {
        missing.append(
            MissingPart(entityIndex: entity.index, propertyIndex: property.index, path: path, message: message))
    }

    /// Marks a property as missing together with another part that a message names.
    mutating func markMissing(_ property: PropertyDescription, of entity: EntityDescription) {
        noteMissing("", property, of: entity)
    }

    // MARK: Columns

    /// The properties that `entity` declares itself.
    func ownProperties(of entity: EntityDescription) -> ArraySlice<PropertyDescription> {
        entity.properties[(entity.superentity?.properties.count ?? 0)...]
    }

    private mutating func placeColumns(of entity: EntityDescription) {
        guard let table = tableNames[entity.rootIndex] else { return }
        let own = ownProperties(of: entity).filter { !$0.isTransient }.sorted { $0.name < $1.name }
        func lacks(_ name: String) -> String {
            "the column \(table).Z\(name.uppercased()) of \(entity.name).\(name) is missing"
        }
        for property in own {
            guard let attribute = property.attribute else { continue }
            switch attribute.type {
            case .undefined, .objectID: placed[entity.index][property.index] = PropertyStorage.none
            case .composite:
                var leaves: [CompositeLeaf] = []
                placeLeaves(of: attribute, property, path: [], in: entity, into: &leaves)
                placed[entity.index][property.index] = .composite(leaves)
            default:
                if let name = column([attribute.name, attribute.renamingIdentifier ?? ""], in: entity) {
                    placed[entity.index][property.index] = .attribute(AttributeColumn(attribute, name: name))
                } else {
                    noteMissing(lacks(attribute.name), property, of: entity)
                }
            }
        }
        for property in own {
            let destination = property.destinationIndex
            guard let relationship = property.relationship, !relationship.isToMany,
                numbers[destination] != nil || tableless.contains(destination)
            else { continue }
            // A column that leads into a missing table has its name nevertheless.
            guard let columns = toOneColumns(of: property, relationship, in: entity) else {
                noteMissing(lacks(relationship.name), property, of: entity)
                continue
            }
            if tableless.contains(destination) {
                markMissing(property, of: entity)
            } else {
                placed[entity.index][property.index] = .toOne(columns)
            }
        }
    }

    private mutating func placeLeaves(
        of attribute: AttributeDescription, _ property: PropertyDescription, path: [String],
        in entity: EntityDescription, into leaves: inout [CompositeLeaf]
    ) {
        guard let name = attribute.compositeName, let composite = model.composite(named: name), path.count < 16 else {
            return
        }
        for leaf in composite.attributes.sorted(by: { $0.name < $1.name }) {
            let path = path + [leaf.name], names = [property.name] + path
            switch leaf.type {
            case .undefined, .objectID: continue
            case .composite: placeLeaves(of: leaf, property, path: path, in: entity, into: &leaves)
            default:
                if let column = column([leaf.name, names.joined(separator: "_"), names.joined()], in: entity) {
                    leaves.append(CompositeLeaf(path: path, column: AttributeColumn(leaf, name: column)))
                } else {
                    noteMissing(
                        "the column of \(entity.name).\(names.joined(separator: ".")) is missing", property, path: path,
                        of: entity)
                }
            }
        }
    }

    private mutating func toOneColumns(
        of property: PropertyDescription, _ relationship: RelationshipDescription, in entity: EntityDescription
    ) -> ToOneColumns? {
        guard let key = column([relationship.name, relationship.renamingIdentifier ?? ""], in: entity) else {
            return nil
        }
        let destination = model.entities[property.destinationIndex]
        var columns = ToOneColumns(key: key, entity: nil, order: nil, destinationIndex: destination.index)
        if destination.family.count > 1, let number = numbers[destination.index] {
            columns.entity = companion("Z\(number)_" + key.dropFirst(), in: entity)
        }
        if model.inverse(of: property)?.relationship?.isOrdered == true {
            columns.order = companion("Z_FOK_" + key.dropFirst(), in: entity)
        }
        return columns
    }

    /// The column of the first candidate that the table has; without a catalog, of the first
    /// candidate.
    mutating func column(_ candidates: [String], in entity: EntityDescription) -> String? {
        for candidate in candidates where !candidate.isEmpty {
            if let name = claim("Z" + candidate.uppercased(), in: entity) { return name }
        }
        return nil
    }

    /// Claims `base` or, if it is in use, the first free name of `base1`, `base2`…; returns nil if
    /// the file has no such column.
    private mutating func claim(_ base: String, in entity: EntityDescription) -> String? {
        var name = base, suffix = 0
        while usedNames[entity.rootIndex]?.contains(SQLName.key(name)) == true {
            suffix += 1
            name = base + String(suffix)
        }
        if let catalog {
            guard let stored = catalog.table(tableNames[entity.rootIndex] ?? "")?.column(name) else { return nil }
            name = stored
        }
        usedNames[entity.rootIndex]?.insert(SQLName.key(name))
        return name
    }

    /// A column that accompanies another one and may be missing in an old table.
    mutating func companion(_ name: String, in entity: EntityDescription) -> String? { claim(name, in: entity) }
}

extension AttributeColumn {
    init(_ attribute: AttributeDescription, name: String) {
        self.init(
            name: name, type: attribute.type,
            hasStoragePrefix: attribute.allowsExternalBinaryDataStorage
                && (attribute.type == .binary || attribute.type == .transformable))
    }
}
