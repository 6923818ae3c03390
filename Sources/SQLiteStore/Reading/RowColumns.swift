import RowMemory

/// Which columns are selected for the rows of an entity, and of its sub-entities if asked for, and
/// which of them goes into which slot.
///
/// Worked out once for a layout: stores with the same schema share it.
final class RowColumns: Sendable {
    struct Key: Hashable, Sendable {
        let entityIndex: Int
        let includesSubentities: Bool
    }

    /// `Z_PK`, `Z_OPT`, `Z_ENT`, then the properties' columns.
    let columns: [String]
    /// By the number that the store gives the entity.
    let shapes: [Int64: RowShape]

    init(_ storage: EntityStorage, includingSubentities: Bool, layout: StoreLayout, rowLayouts: [RowLayout]) {
        let root = SelectStatement.rootAlias
        var columns = ["\(root).Z_PK", "\(root).Z_OPT", storage.sharesTable ? "\(root).Z_ENT" : "0"]
        var places: [String: Int] = [:]
        func place(_ expressions: [String]) -> Int {
            if let place = places[expressions[0]] { return place }
            places[expressions[0]] = columns.count
            columns += expressions
            return columns.count - expressions.count
        }
        var shapes: [Int64: RowShape] = [:]
        for number in layout.numbers(of: storage.entityIndex, includingSubentities: includingSubentities) {
            guard let index = layout.entityIndex(number: number), let storage = layout[index] else { continue }
            shapes[number] = RowShape(storage, rowLayouts[index], layout, place: place)
        }
        self.columns = columns
        self.shapes = shapes
    }

    /// Whether the rows are of these layouts themselves, not of equal ones.
    func isMade(for rowLayouts: [RowLayout]) -> Bool {
        shapes.values.allSatisfy { $0.layout === rowLayouts[$0.layout.entityIndex] }
    }
}
