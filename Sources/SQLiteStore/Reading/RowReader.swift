import Foundation
import RowMemory
import Schema
import SQLiteKit
import Storage

/// Reads the rows of an entity and optionally its subentities from the results of a statement.
///
/// Created once for an entity and cached.
final class RowReader {
    let columns: [String]
    private let shapes: [Int64: RowShape]
    // Unmanaged, because `shapes` keeps all shapes alive as long as the reader exists: reading a
    // row should not need a retain.
    /// The only shape, if the table has no other entity and its rows need no entity number.
    private let onlyShape: Unmanaged<RowShape>?
    // Accessed only in `shape(of:)`, which calls no other code, so no two accesses overlap.
    @exclusivity(unchecked) private var lastNumber: Int64 = 0
    @exclusivity(unchecked) private var lastShape: Unmanaged<RowShape>?
    private let layout: StoreLayout
    private let files: ExternalValues

    /// The number of columns before those of the properties.
    static let headerCount = 3

    init(_ storage: EntityStorage, _ columns: RowColumns, layout: StoreLayout, files: ExternalValues) {
        self.layout = layout
        self.files = files
        self.columns = columns.columns
        shapes = columns.shapes
        onlyShape = storage.sharesTable ? nil : shapes[storage.number].map { .passUnretained($0) }
    }

    /// Whether every row is of one entity.
    var isOfOneEntity: Bool { onlyShape != nil }

    /// The index in the model of a row's entity; nil for a row that is not an object.
    func entityIndex(of cells: some ResultCells) -> Int? {
        cells.int64(at: 0) > 0 ? shape(of: cells)?._withUnsafeGuaranteedRef { $0.layout.entityIndex } : nil
    }

    @inline(__always) private func shape(of cells: some ResultCells) -> Unmanaged<RowShape>? {
        if let onlyShape { return onlyShape }
        let number = cells.int64(at: 2)
        if number == lastNumber { return lastShape }
        (lastNumber, lastShape) = (number, shapes[number].map { .passUnretained($0) })
        return lastShape
    }

    /// Adds a row. A row with an unknown entity is skipped, and so is a row whose primary key is
    /// not positive: negative keys are reserved for objects without a store.
    @inline(__always) func append(_ cells: some ResultCells, to batch: inout RowBatch) {
        let key = cells.int64(at: 0)
        guard key > 0, let shape = shape(of: cells) else { return }
        shape._withUnsafeGuaranteedRef { shape in
            let row = batch.appendCells(shape.layout, key: key, version: cells.int64(at: 1))
            shape.cells.withUnsafeBufferPointer { for cell in $0 { read(cell, cells, into: row, shape) } }
        }
    }

    @inline(__always) private func read(
        _ cell: CellReader, _ cells: some ResultCells, into row: RowCells, _ shape: RowShape
    ) {
        let place = cell.cell, column = Int(cell.column)
        let type = cells.typeNumber(at: column)
        if type == CellType.null, cell.kind != .composite { return }
        switch cell.kind {
        case .int: if let value = integer(type, cells, at: column) { row.fill(value, place) }
        case .bool:
            if type == CellType.integer {
                row.fill(cells.int64(at: column) != 0, place)
            } else if let value = cells.bool(at: column) {
                row.fill(value, place)
            }
        case .double: if type <= CellType.real { row.fill(cells.double(at: column), place) }
        case .float: if let value = cells.float(at: column) { row.fill(value, place) }
        case .string: if type == CellType.text { row.fill(cells.string(at: column), place) }
        case .uuid: if let value = cells.uuid(at: column) { row.fill(value, place) }
        case .decimal: if let value = cells.decimal(at: column) { row.fill(value, place) }
        case .data: if type == CellType.blob { row.fill(cells.data(at: column), place) }
        case .large: if type == CellType.blob { row.fill(files.value(ofCell: cells.data(at: column)), place) }
        case .composite: readComposite(shape.composites[Int(cell.index)], cells, at: column, into: row, place)
        case .toOne:
            guard let key = integer(type, cells, at: column), key > 0 else { return }
            row.fill(ObjectReference(key: key, entityIndex: destination(cell, cells)), place)
        }
    }

    @inline(__always) private func integer(_ type: Int32, _ cells: some ResultCells, at column: Int) -> Int64? {
        type == CellType.integer ? cells.int64(at: column) : cells.integer(at: column)
    }

    /// The entity of a reference. It is the declared destination if the file gives no entity or an
    /// incompatible one.
    @inline(__always) private func destination(_ cell: CellReader, _ cells: some ResultCells) -> Int {
        let declared = Int(cell.index)
        guard cell.hasEntity, let named = layout.entityIndex(number: cells.int64(at: Int(cell.column) + 1)) else {
            return declared
        }
        return named == declared || layout.model.entities[declared].family.contains(named) ? named : declared
    }

    private func readComposite(
        _ leaves: [CompositeLeaf], _ cells: some ResultCells, at column: Int, into row: RowCells, _ place: RowCell
    ) {
        let value = cells.composite(leaves, at: column, files)
        if !value.isNull { row.store(BoxedValue(value), place) }
    }
}

extension ResultCells {
    /// The composite whose leaves are in adjacent cells; nil if all leaves are NULL.
    func composite(_ leaves: [CompositeLeaf], at column: Int, _ files: ExternalValues) -> PropertyValue {
        var value = PropertyValue.null
        for (offset, leaf) in leaves.enumerated() {
            let part = propertyValue(at: column + offset, leaf.column, files)
            if !part.isNull { value = value.setting(part, at: leaf.path[...]) }
        }
        return value
    }
}
