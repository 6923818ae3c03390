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
    let numbers: [Int64?]
    /// The names in use in the table of each hierarchy.
    var usedNames: [Int: Set<String>] = [:]
    var tableNames: [Int: String] = [:]
    /// The storage of the properties that each entity declares itself, by
    /// `PropertyDescription.index`.
    var placed: [[Int: PropertyStorage]]

    /// The layout of a new store.
    static func layout(creating model: ManagedObjectModel, configuration: String?) throws(StorageError) -> StoreLayout {
        var builder = LayoutBuilder(
            model, catalog: nil, numbers: try EntityNumbering.new(for: model, configuration: configuration))
        return try builder.build()
    }

    /// The layout of an existing store.
    /// - Throws: `StorageError.damaged` if the file lacks a table or a column that the model needs.
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
        for entity in stored where entity.superentity == nil { try placeTable(of: entity) }
        // Names are assigned in the order of the entity numbers, which decides which of two columns
        // gets the suffix.
        for entity in stored.sorted(by: { (numbers[$0.index] ?? 0) < (numbers[$1.index] ?? 0) }) {
            try placeColumns(of: entity)
        }
        for entity in stored { try placeToManys(of: entity) }

        var storages = [EntityStorage?](repeating: nil, count: model.entities.count)
        for entity in stored {
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
        return StoreLayout(model: model, storages: storages, sideIndexes: catalog.map(wanted.present) ?? wanted)
    }

    private mutating func placeTable(of root: EntityDescription) throws(StorageError) {
        usedNames[root.index] = ["Z_PK", "Z_ENT", "Z_OPT"]
        let name = "Z" + root.name.uppercased()
        guard let catalog else {
            tableNames[root.index] = name
            return
        }
        // A renamed entity may have kept its table.
        let storedName = catalog.entities.first { $0.number == numbers[root.index] }.map { "Z" + $0.name.uppercased() }
        guard let table = catalog.table(name) ?? storedName.flatMap({ catalog.table($0) }) else {
            throw StorageError(
                .damaged, "The store has no table \(name) for the entity \(root.name)", entities: [root.name])
        }
        for column in ["Z_PK", "Z_ENT", "Z_OPT"] where table.column(column) == nil {
            throw StorageError(.damaged, "The table \(table.name) has no column \(column)", entities: [root.name])
        }
        tableNames[root.index] = table.name
    }

    // MARK: Columns

    /// The properties that `entity` declares itself.
    func ownProperties(of entity: EntityDescription) -> ArraySlice<PropertyDescription> {
        entity.properties[(entity.superentity?.properties.count ?? 0)...]
    }

    private mutating func placeColumns(of entity: EntityDescription) throws(StorageError) {
        let own = ownProperties(of: entity).filter { !$0.isTransient }.sorted { $0.name < $1.name }
        for property in own {
            guard let attribute = property.attribute else { continue }
            placed[entity.index][property.index] = try storage(of: attribute, in: entity)
        }
        for property in own {
            guard let relationship = property.relationship, !relationship.isToMany,
                numbers[property.destinationIndex] != nil
            else { continue }
            placed[entity.index][property.index] = .toOne(try toOneColumns(of: property, relationship, in: entity))
        }
    }

    private mutating func storage(of attribute: AttributeDescription, in entity: EntityDescription) throws(StorageError)
        -> PropertyStorage
    {
        switch attribute.type {
        case .undefined, .objectID:
            return .none
        case .composite:
            var leaves: [CompositeLeaf] = []
            try placeLeaves(of: attribute, path: [], names: [attribute.name], in: entity, into: &leaves)
            return .composite(leaves)
        default:
            let name = try column(
                [attribute.name, attribute.renamingIdentifier ?? ""], in: entity, property: attribute.name)
            return .attribute(AttributeColumn(attribute, name: name))
        }
    }

    private mutating func placeLeaves(
        of attribute: AttributeDescription, path: [String], names: [String], in entity: EntityDescription,
        into leaves: inout [CompositeLeaf]
    ) throws(StorageError) {
        guard let name = attribute.compositeName, let composite = model.composite(named: name), path.count < 16 else {
            return
        }
        for leaf in composite.attributes.sorted(by: { $0.name < $1.name }) {
            let path = path + [leaf.name], names = names + [leaf.name]
            switch leaf.type {
            case .undefined, .objectID: continue
            case .composite: try placeLeaves(of: leaf, path: path, names: names, in: entity, into: &leaves)
            default:
                let column = try column(
                    [leaf.name, names.joined(separator: "_"), names.joined()], in: entity,
                    property: names.joined(separator: "."))
                leaves.append(CompositeLeaf(path: path, column: AttributeColumn(leaf, name: column)))
            }
        }
    }

    private mutating func toOneColumns(
        of property: PropertyDescription, _ relationship: RelationshipDescription, in entity: EntityDescription
    ) throws(StorageError) -> ToOneColumns {
        let key = try column(
            [relationship.name, relationship.renamingIdentifier ?? ""], in: entity, property: relationship.name)
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
    mutating func column(_ candidates: [String], in entity: EntityDescription, property: String) throws(StorageError)
        -> String
    {
        for candidate in candidates where !candidate.isEmpty {
            let base = "Z" + candidate.uppercased()
            if let name = claim(base, in: entity) { return name }
        }
        let table = tableNames[entity.rootIndex] ?? ""
        throw StorageError(
            .damaged, "The table \(table) has no column for \(entity.name).\(property)", entities: [entity.name])
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
