import RowMemory
import Schema
import Storage

/// Maps the indexes in a binary store to the model's entities and properties, by their names.
struct BinaryDirectory {
    /// Nil for what the model does not know and that is passed over.
    private let entities: [(index: Int?, properties: [Int?])]
    let shape: TableShape
    /// The names of what is passed over.
    let unknown: Set<String>

    /// Reads the directory and records the greatest primary keys that were assigned.
    ///
    /// - Parameter ignoresUnknown: Whether entities and properties that the model lacks are passed
    ///   over.
    init(_ reader: inout ByteReader, _ table: RowTable, ignoringUnknown ignoresUnknown: Bool) throws {
        shape = table.shape
        var entities: [(index: Int?, properties: [Int?])] = []
        var unknown: Set<String> = []
        for _ in 0..<(try reader.count(UInt32.self, size: 16)) {
            let name = try reader.text()
            let greatest = try reader.number(Int64.self)
            guard let entity = shape.model.entity(named: name), shape.isStored[entity.index] || !ignoresUnknown else {
                if ignoresUnknown {
                    unknown.insert(name)
                    for _ in 0..<(try reader.count(UInt32.self, size: 5)) {
                        _ = (try reader.text(), try reader.number(UInt8.self))
                    }
                    entities.append((nil, []))
                    continue
                }
                throw StorageError(
                    .incompatibleModel, "The store knows an entity \(name.prefix(100)) that the model does not",
                    entities: [name])
            }
            if greatest > 0 { table.numbers.note(greatest, root: entity.rootIndex) }
            var properties: [Int?] = []
            for _ in 0..<(try reader.count(UInt32.self, size: 5)) {
                let property = try reader.text()
                let kind = try reader.number(UInt8.self)
                guard let index = entity.propertyIndex(named: property),
                    BinaryStoreFormat.ColumnKind(shape.layouts[entity.index].slots[index].kind).rawValue == kind
                else {
                    if ignoresUnknown {
                        unknown.insert("\(name).\(property)")
                        properties.append(nil)
                        continue
                    }
                    throw StorageError(
                        .incompatibleModel,
                        "The store knows a property \(name).\(property.prefix(100)) that the model does not, or not so",
                        entities: [name])
                }
                properties.append(index)
            }
            entities.append((entity.index, properties))
        }
        self.entities = entities
        self.unknown = unknown
    }

    /// Nil for an entity that is passed over.
    func entityIndex(_ place: UInt32) throws(StorageError) -> Int? {
        guard Int(place) < entities.count else {
            throw StorageError(.damaged, "The store is damaged: it names an entity that it does not know")
        }
        return entities[Int(place)].index
    }

    /// Nil for a property that is passed over.
    func property(entity: UInt32, property: UInt32) throws(StorageError) -> (entityIndex: Int, property: Int)? {
        guard let index = try entityIndex(entity) else { return nil }
        let properties = entities[Int(entity)].properties
        guard Int(property) < properties.count else {
            throw StorageError(.damaged, "The store is damaged: it names a property that it does not know")
        }
        return properties[Int(property)].map { (index, $0) }
    }
}
