import RowMemory

/// The columns to select for the rows of an entity and optionally its subentities, and the slots
/// that they fill.
///
/// Computed once for a layout, which stores with the same schema share.
final class RowColumns: Sendable {
    struct Key: Hashable, Sendable {
        let entityIndex: Int
        let includesSubentities: Bool
    }

    /// `Z_PK`, `Z_OPT`, `Z_ENT`, then the properties' columns.
    let columns: [String]
    /// By `Z_ENT`.
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

    /// Whether the rows use these very layouts. Equal ones do not suffice.
    func isMade(for rowLayouts: [RowLayout]) -> Bool {
        shapes.values.allSatisfy { $0.layout === rowLayouts[$0.layout.entityIndex] }
    }
}
