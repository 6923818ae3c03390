import Foundation
import RowMemory
import Schema
import SQLiteKit
import Storage

/// Reads the rows of an entity, and of its sub-entities if asked for, out of one statement's results.
///
/// Made once for an entity and kept: the columns to select, and for each entity which of them goes into which slot.
final class RowReader {
    private struct Cell {
        let slot: RowSlot
        let column: Int
        let reader: CellReader
        /// A composite has a value where any of its leaves has one.
        var isComposite: Bool { if case .composite = reader { true } else { false } }
    }

    private struct Shape {
        let layout: RowLayout
        var cells: [Cell]
    }

    /// `Z_PK`, `Z_OPT`, perhaps `Z_ENT`, then the properties' columns.
    let columns: [String]
    private let shapes: [Int64: Shape]
    /// The one shape, where the table holds no other entity and its rows need not say what they are.
    private let onlyShape: Shape?
    private let layout: StoreLayout
    private let files: ExternalValues

    private static let firstPropertyColumn = 3

    init(_ storage: EntityStorage, includingSubentities: Bool, layout: StoreLayout, rowLayouts: [RowLayout], files: ExternalValues) {
        self.layout = layout
        self.files = files
        let root = SelectStatement.rootAlias
        var columns = ["\(root).Z_PK", "\(root).Z_OPT", storage.sharesTable ? "\(root).Z_ENT" : "0"]
        var places: [String: Int] = [:]
        func place(_ expressions: [String]) -> Int {
            if let place = places[expressions[0]] { return place }
            places[expressions[0]] = columns.count
            columns += expressions
            return columns.count - expressions.count
        }
        var shapes: [Int64: Shape] = [:]
        for number in layout.numbers(of: storage.entityIndex, includingSubentities: includingSubentities) {
            guard let index = layout.entityIndex(number: number), let storage = layout[index] else { continue }
            var shape = Shape(layout: rowLayouts[index], cells: [])
            for (property, slot) in zip(storage.properties, rowLayouts[index].slots) {
                switch property {
                case .none, .toMany, .manyToMany: continue
                case .attribute(let column):
                    shape.cells.append(Cell(slot: slot, column: place([SelectStatement.column(column.name)]), reader: CellReader(column)))
                case .composite(let leaves):
                    guard let first = leaves.first else { continue }
                    // Leaves stand side by side, after the first one's place.
                    let start = place([SelectStatement.column(first.column.name)] + leaves.dropFirst().map { SelectStatement.column($0.column.name) })
                    shape.cells.append(Cell(slot: slot, column: start, reader: .composite(leaves.map { ($0.path, $0.column) })))
                case .toOne(let toOne):
                    let entity = Self.entityExpression(toOne, layout: layout)
                    let start = place([SelectStatement.column(toOne.key)] + [entity].compactMap { $0 })
                    shape.cells.append(
                        Cell(slot: slot, column: start, reader: .toOne(destinationIndex: toOne.destinationIndex, hasEntity: entity != nil)))
                }
            }
            shapes[number] = shape
        }
        self.columns = columns
        self.shapes = shapes
        onlyShape = storage.sharesTable ? nil : shapes[storage.number]
    }

    /// What says of which entity a destination is; nil where it can be of one only. Where the column lacks, or has no value, the destination's row says it.
    private static func entityExpression(_ toOne: ToOneColumns, layout: StoreLayout) -> String? {
        guard layout.model.entities[toOne.destinationIndex].family.count > 1, let destination = layout[toOne.destinationIndex] else { return nil }
        let key = SelectStatement.column(toOne.key)
        let lookup = "(SELECT d.Z_ENT FROM \(SQLName.quoted(destination.table)) d WHERE d.Z_PK = \(key))"
        return toOne.entity.map { "ifnull(\(SelectStatement.column($0)), \(lookup))" } ?? lookup
    }

    /// Adds the row that the statement stands at.
    /// - Returns: nil, and adds nothing, for a row whose entity the model does not know.
    @discardableResult
    func appendRow(from statement: Statement, to batch: inout RowBatch) -> Row? {
        guard let shape = onlyShape ?? shapes[statement.int64(at: 2)] else { return nil }
        let row = batch.appendRow(shape.layout, key: statement.int64(at: 0), version: statement.int64(at: 1))
        for cell in shape.cells where !statement.isNull(at: cell.column) || cell.isComposite {
            read(cell, from: statement, into: row)
        }
        return row
    }

    private func read(_ cell: Cell, from statement: Statement, into row: Row) {
        let (slot, column) = (cell.slot, cell.column)
        switch cell.reader {
        case .int: if statement.storageClass(at: column) != .blob { row.setInt(statement.int64(at: column), slot) }
        case .bool: if statement.storageClass(at: column) != .blob { row.setBool(statement.int64(at: column) != 0, slot) }
        case .double, .date: if statement.storageClass(at: column) != .blob { row.setDouble(statement.double(at: column), slot) }
        case .float: if statement.storageClass(at: column) != .blob { row.setFloat(Float(statement.double(at: column)), slot) }
        case .string, .uri: row.setString(statement.text(at: column), slot)
        case .uuid: if let value = statement.uuid(at: column) { row.setUUID(value, slot) }
        case .decimal: if let value = statement.decimal(at: column) { row.setDecimal(value, slot) }
        case .data: row.setData(statement.data(at: column), slot)
        case .large: row.setLarge(files.value(ofCell: statement.data(at: column)), slot)
        case .composite(let leaves): readComposite(leaves, from: statement, at: column, into: row, slot)
        case .toOne(let destinationIndex, let hasEntity):
            let entity = hasEntity ? layout.entityIndex(number: statement.int64(at: column + 1)) : nil
            row.setReference(ObjectReference(key: statement.int64(at: column), entityIndex: entity ?? destinationIndex), slot)
        }
    }

    private func readComposite(
        _ leaves: [(path: [String], column: AttributeColumn)], from statement: Statement, at column: Int, into row: Row, _ slot: RowSlot
    ) {
        var value: PropertyValue = .null
        for (offset, leaf) in leaves.enumerated() {
            let part = statement.propertyValue(at: column + offset, leaf.column, files)
            if !part.isNull { value = value.setting(part, at: leaf.path[...]) }
        }
        if !value.isNull { row.setBoxed(BoxedValue(value), slot) }
    }
}

extension PropertyValue {
    /// A composite with the value at the end of `path` set.
    fileprivate func setting(_ value: PropertyValue, at path: ArraySlice<String>) -> PropertyValue {
        guard let name = path.first else { return value }
        var parts: [String: PropertyValue] = [:]
        if case .composite(let own) = self { parts = own }
        parts[name] = (parts[name] ?? .null).setting(value, at: path.dropFirst())
        return .composite(parts)
    }

    /// The value at the end of `path` in a composite.
    func value(at path: [String]) -> PropertyValue {
        var value = self
        for name in path {
            guard case .composite(let parts) = value else { return .null }
            value = parts[name] ?? .null
        }
        return value
    }
}
