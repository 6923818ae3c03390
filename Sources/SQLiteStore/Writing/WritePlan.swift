import RowMemory
import Schema
import Storage

/// The columns of some properties of an entity, and the value that is written to each.
struct WritePlan {
    struct Column {
        let name: String
        /// The order column of a to-one relationship. It is cleared if the relationship changes,
        /// because the position is relative to the old owner's members.
        var order: String?
    }

    /// The index of the first column of the plan. The primary key and the version come before it.
    static let firstColumn = 2

    private(set) var columns: [Column] = []
    /// The writers of the columns.
    private(set) var writers: ContiguousArray<CellWriter> = []
    private(set) var leaves: [(slot: RowSlot, leaf: CompositeLeaf)] = []
    /// The writers whose values may be NaN, which SQLite would turn into NULL.
    private(set) var fractions: ContiguousArray<CellWriter> = []
    /// The slots of large values, in the order of the indexes of `CellWriter.Kind.large`.
    private(set) var largeSlots: [RowSlot] = []
    /// To-one relationships with an ordered inverse.
    private(set) var orderedKeys: [(slot: RowSlot, columns: ToOneColumns)] = []

    /// - Parameter properties: Nil for all properties.
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
