import RowMemory
import Schema
import Storage

/// The columns that some properties of an entity are kept in, and what of a row goes into each.
struct WritePlan {
    struct Column {
        let name: String
        let writer: CellWriter
        /// The order column of a to-one relationship: emptied where the relationship changes, since the place is another one's.
        var order: String?
    }

    private(set) var columns: [Column] = []
    /// The slots of large values, in the order that `CellWriter.Kind.large` counts.
    private(set) var largeSlots: [RowSlot] = []
    /// To-one relationships with an ordered inverse.
    private(set) var orderedKeys: [(slot: RowSlot, columns: ToOneColumns)] = []

    /// - Parameter properties: Nil for all of them.
    init(_ storage: EntityStorage, _ rowLayout: RowLayout, properties: PropertySet? = nil) {
        for (index, property) in storage.properties.enumerated() where properties?.contains(index) ?? true {
            let slot = rowLayout.slots[index]
            switch property {
            case .none, .toMany, .manyToMany: continue
            case .attribute(let column):
                columns.append(Column(name: column.name, writer: CellWriter(column, slot: slot, largeIndex: largeSlots.count)))
                if column.hasStoragePrefix { largeSlots.append(slot) }
            case .composite(let leaves):
                columns += leaves.map { Column(name: $0.column.name, writer: CellWriter(slot: slot, kind: .leaf(path: $0.path, column: $0.column))) }
            case .toOne(let toOne):
                columns.append(Column(name: toOne.key, writer: CellWriter(slot: slot, kind: .toOneKey), order: toOne.order))
                if let entity = toOne.entity { columns.append(Column(name: entity, writer: CellWriter(slot: slot, kind: .toOneEntity))) }
                if toOne.order != nil { orderedKeys.append((slot, toOne)) }
            }
        }
    }
}
