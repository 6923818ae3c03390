import RowMemory
import Schema
import Storage

/// The columns that some properties of an entity are kept in, and what of a row goes into each.
struct WritePlan {
    struct Column {
        let name: String
        /// The order column of a to-one relationship: emptied where the relationship changes, since
        /// the place is another one's.
        var order: String?
    }

    /// Of the values that a row is written from: the key and the version stand before those of the
    /// plan's columns.
    static let firstColumn = 2

    private(set) var columns: [Column] = []
    /// What goes into each column.
    private(set) var writers: ContiguousArray<CellWriter> = []
    private(set) var leaves: [(slot: RowSlot, leaf: CompositeLeaf)] = []
    /// Those of the writers whose values may be NaN, which SQLite would turn into NULL.
    private(set) var fractions: ContiguousArray<CellWriter> = []
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
                add(column.name, CellWriter(.init(column), slot: slot, index: largeSlots.count))
                if column.hasStoragePrefix { largeSlots.append(slot) }
            case .composite(let leaves):
                for leaf in leaves {
                    add(leaf.column.name, CellWriter(.leaf, slot: slot, index: self.leaves.count))
                    self.leaves.append((slot, leaf))
                }
            case .toOne(let toOne):
                add(toOne.key, CellWriter(.toOneKey, slot: slot), order: toOne.order)
                if let entity = toOne.entity { add(entity, CellWriter(.toOneEntity, slot: slot)) }
                if toOne.order != nil { orderedKeys.append((slot, toOne)) }
            }
        }
    }

    private mutating func add(_ name: String, _ writer: CellWriter, order: String? = nil) {
        columns.append(Column(name: name, order: order))
        writers.append(writer)
        if writer.kind == .double || writer.kind == .float || writer.kind == .decimal { fractions.append(writer) }
    }
}
