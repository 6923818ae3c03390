import Foundation
import RowMemory
import Schema
import Storage

/// Creates the rows of one `Rows` section.
struct BinaryRowsReader {
    let entityIndex: Int
    private let entityPosition: UInt32
    private let columnCount: Int
    private let places: BinaryDirectory
    private var reader: ByteReader
    private let budget: MemoryBudget

    /// Nil for rows of an entity that is passed over.
    init?(_ reader: ByteReader, _ places: BinaryDirectory, _ budget: MemoryBudget) throws {
        self.places = places
        self.budget = budget
        self.reader = reader
        entityPosition = try self.reader.number()
        guard let index = try places.entityIndex(entityPosition) else { return nil }
        entityIndex = index
        columnCount = Int(try self.reader.number(UInt32.self))
        try places.shape.checkStored(entityIndex)
    }

    /// The rows, ordered by primary key.
    mutating func slabs() throws -> ContiguousArray<RowSlab> {
        let count = try reader.count(UInt64.self, size: 16)
        try budget.spend(rows: count, of: places.shape.layouts[entityIndex])
        let keys = try reader.numbers(Int64.self, count: count)
        let versions = try reader.numbers(Int64.self, count: count)
        var filler = RowFiller(places.shape.layouts[entityIndex], count: count)
        // The filler keeps their slabs alive.
        var rows: ContiguousArray<RowCells> = []
        rows.reserveCapacity(count)
        var last: Int64 = 0
        for index in 0..<count {
            let key = keys[index]
            guard key > last, key < .max else { throw damaged("its objects are not in order") }
            rows.append(filler.append(key: key, version: versions[index]).cells)
            last = key
        }
        let slabs = filler.slabs
        try withExtendedLifetime(slabs) { for _ in 0..<columnCount { try readColumn(into: rows) } }
        guard reader.left == 0 else { throw damaged("something follows the last column") }
        return slabs
    }

    private func damaged(_ what: String) -> StorageError { StorageError(.damaged, "The store is damaged: \(what)") }

    private mutating func readColumn(into rows: ContiguousArray<RowCells>) throws {
        let place = try places.property(entity: entityPosition, property: reader.number())
        let isComplete = try reader.number(UInt8.self) != 0
        let length = try reader.count(UInt64.self, size: 1)
        var column = ByteReader(try reader.take(length))
        guard let property = place?.property else { return }
        let slot = places.shape.layouts[entityIndex].slots[property]
        var present = rows
        if !isComplete {
            let bitmap = try column.take((rows.count + 7) / 8)
            present = ContiguousArray(
                rows.indices.lazy.filter { bitmap[$0 / 8] & (1 << UInt8($0 % 8)) != 0 }.map { rows[$0] })
        }
        try read(slot, from: &column, into: present)
        guard column.left == 0 else { throw damaged("a column is longer than its values") }
    }

    private func read(_ slot: RowSlot, from column: inout ByteReader, into rows: ContiguousArray<RowCells>) throws {
        let cell = RowCell(slot)
        switch slot.kind {
        case .int: try fill(cell, of: rows, from: &column) { (number: Int64) in number }
        case .bool: try fill(cell, of: rows, from: &column) { (number: UInt8) in number != 0 }
        case .double, .date: try fill(cell, of: rows, from: &column) { (number: UInt64) in Double(bitPattern: number) }
        case .float: try fill(cell, of: rows, from: &column) { (number: UInt32) in Float(bitPattern: number) }
        case .uuid: for row in rows { row.store(UUID(uuid: try column.take(16).loadUnaligned(as: uuid_t.self)), cell) }
        case .toOne:
            let keys = try column.numbers(Int64.self, count: rows.count)
            let entities = try column.numbers(UInt32.self, count: rows.count)
            for (index, row) in rows.enumerated() {
                guard keys[index] > 0 else { throw damaged("a reference names no object") }
                guard let destination = try places.entityIndex(entities[index]) else { continue }
                let target = ObjectReference(key: keys[index], entityIndex: destination)
                try places.shape.checkReference(to: target.entityIndex, from: slot, of: entityIndex)
                row.store(target, cell)
            }
        case .string, .uri, .decimal, .data, .large, .boxed:
            let lengths = try column.numbers(UInt64.self, count: rows.count)
            for (index, row) in rows.enumerated() {
                guard let length = Int(exactly: lengths[index] & ~BinaryStoreFormat.missingFlag) else {
                    throw damaged("a value is too long")
                }
                let bytes = try column.take(length)
                switch slot.kind {
                case .string, .uri: row.store(String(decoding: bytes, as: UTF8.self), cell)
                default:
                    try read(
                        slot, cell, bytes, isMissing: lengths[index] & BinaryStoreFormat.missingFlag != 0, into: row)
                }
            }
        case .toMany:
            throw damaged("it has a column for a relationship to many")
        }
    }

    /// Sets values that are stored contiguously. If a column occurs twice, the second one replaces
    /// the values of the first.
    @inline(__always) private func fill<Number: FixedWidthInteger, Value>(
        _ cell: RowCell, of rows: ContiguousArray<RowCells>, from column: inout ByteReader, _ value: (Number) -> Value
    ) throws {
        let numbers = try column.numbers(Number.self, count: rows.count)
        for (index, row) in rows.enumerated() { row.store(value(numbers[index]), cell) }
    }

    private func read(
        _ slot: RowSlot, _ cell: RowCell, _ bytes: UnsafeRawBufferPointer, isMissing: Bool, into row: RowCells
    ) throws {
        switch slot.kind {
        case .data: row.store(Data(bytes), cell)
        case .large:
            row.store(isMissing ? .missing(String(decoding: bytes, as: UTF8.self)) : LargeValue(Data(bytes)), cell)
        case .decimal:
            guard let value = Decimal(string: String(decoding: bytes, as: UTF8.self)) else {
                throw damaged("a decimal number can't be read")
            }
            row.store(value, cell)
        case .boxed:
            var reader = ByteReader(bytes)
            row.store(BoxedValue(try BoxedCoding.read(&reader, budget)), cell)
        default: break
        }
    }
}
