import RowMemory
import Schema
import Storage

/// Maps the indexes in a binary store to the model's entities and properties, by their names.
struct BinaryDirectory {
    private let entities: [(index: Int, properties: [Int])]
    let shape: TableShape

    /// Reads the directory and records the greatest primary keys that were assigned.
    init(_ reader: inout ByteReader, _ table: RowTable) throws {
        shape = table.shape
        var entities: [(index: Int, properties: [Int])] = []
        for _ in 0..<(try reader.count(UInt32.self, size: 16)) {
            let name = try reader.text()
            let greatest = try reader.number(Int64.self)
            guard let entity = shape.model.entity(named: name) else {
                throw StorageError(
                    .incompatibleModel, "The store knows an entity \(name.prefix(100)) that the model does not",
                    entities: [name])
            }
            if greatest > 0 { table.numbers.note(greatest, root: entity.rootIndex) }
            var properties: [Int] = []
            for _ in 0..<(try reader.count(UInt32.self, size: 5)) {
                let property = try reader.text()
                let kind = try reader.number(UInt8.self)
                guard let index = entity.propertyIndex(named: property),
                    BinaryStoreFormat.ColumnKind(shape.layouts[entity.index].slots[index].kind).rawValue == kind
                else {
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
    }

    func entityIndex(_ place: UInt32) throws(StorageError) -> Int {
        guard Int(place) < entities.count else {
            throw StorageError(.damaged, "The store is damaged: it names an entity that it does not know")
        }
        return entities[Int(place)].index
    }

    func property(entity: UInt32, property: UInt32) throws(StorageError) -> (entityIndex: Int, property: Int) {
        let index = try entityIndex(entity)
        let properties = entities[Int(entity)].properties
        guard Int(property) < properties.count else {
            throw StorageError(.damaged, "The store is damaged: it names a property that it does not know")
        }
        return (index, properties[Int(property)])
    }
}
