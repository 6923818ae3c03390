import RowMemory
import Schema

/// The result cells that make up the rows of one entity.
final class RowShape: Sendable {
    let layout: RowLayout
    let cells: ContiguousArray<CellReader>
    /// The leaves of the composites, in adjacent cells from the composite's first cell.
    let composites: [[CompositeLeaf]]

    /// - Parameter place: selects adjacent expressions and returns the column of the first one.
    init(_ storage: EntityStorage, _ layout: RowLayout, _ store: StoreLayout, place: ([String]) -> Int) {
        self.layout = layout
        var cells: ContiguousArray<CellReader> = []
        var composites: [[CompositeLeaf]] = []
        for (property, slot) in zip(storage.properties, layout.slots) {
            switch property {
            case .none, .toMany, .manyToMany: continue
            case .attribute(let column):
                cells.append(
                    CellReader(.init(column), slot: slot, column: place([SelectStatement.column(column.name)])))
            case .composite(let leaves):
                guard !leaves.isEmpty else { continue }
                var cell = CellReader(
                    .composite, slot: slot, column: place(leaves.map { SelectStatement.column($0.column.name) }))
                cell.index = Int32(composites.count)
                cells.append(cell)
                composites.append(leaves)
            case .toOne(let toOne):
                let entity = Self.entityExpression(toOne, store)
                var cell = CellReader(
                    .toOne, slot: slot, column: place([SelectStatement.column(toOne.key)] + [entity].compactMap { $0 }))
                cell.index = Int32(toOne.destinationIndex)
                cell.hasEntity = entity != nil
                cells.append(cell)
            }
        }
        self.cells = cells
        self.composites = composites
    }

    /// The expression for a destination's entity; nil if only one entity is possible. If the column
    /// is missing or NULL, the destination's row supplies the entity.
    private static func entityExpression(_ toOne: ToOneColumns, _ store: StoreLayout) -> String? {
        guard store.model.entities[toOne.destinationIndex].family.count > 1,
            let destination = store[toOne.destinationIndex]
        else { return nil }
        let key = SelectStatement.column(toOne.key)
        let lookup = "(SELECT d.Z_ENT FROM \(SQLName.quoted(destination.table)) d WHERE d.Z_PK = \(key))"
        return toOne.entity.map { "ifnull(\(SelectStatement.column($0)), \(lookup))" } ?? lookup
    }
}
