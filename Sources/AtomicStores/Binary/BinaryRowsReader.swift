import Foundation
import RowMemory
import Schema
import Storage

/// Makes rows of one `Rows` section.
struct BinaryRowsReader {
    let entityIndex: Int
    private let entityPlace: UInt32
    private let columnCount: Int
    private let places: BinaryDirectory
    private var reader: ByteReader
    private let budget: MemoryBudget

    init(_ reader: ByteReader, _ places: BinaryDirectory, _ budget: MemoryBudget) throws {
        self.places = places
        self.budget = budget
        self.reader = reader
        entityPlace = try self.reader.number()
        entityIndex = try places.entityIndex(entityPlace)
        columnCount = Int(try self.reader.number(UInt32.self))
        try places.shape.checkStored(entityIndex)
    }

    mutating func rows() throws -> [(key: Int64, row: Row)] {
        let count = try reader.count(UInt64.self, size: 16)
        try budget.spend(rows: count, of: places.shape.layouts[entityIndex])
        let keys = try reader.numbers(Int64.self, count: count)
        let versions = try reader.numbers(Int64.self, count: count)
        var filler = RowFiller(places.shape.layouts[entityIndex], count: count)
        var rows: [Row] = []
        rows.reserveCapacity(count)
        var last: Int64 = 0
        for index in 0..<count {
            let key = keys[index]
            guard key > last, key < .max else { throw damaged("its objects are not in order") }
            rows.append(filler.append(key: key, version: versions[index]))
            last = key
        }
        for _ in 0..<columnCount { try readColumn(into: rows) }
        guard reader.left == 0 else { throw damaged("something follows the last column") }
        return rows.map { ($0.key, $0) }
    }

    private func damaged(_ what: String) -> StorageError { StorageError(.damaged, "The store is damaged: \(what)") }

    private mutating func readColumn(into rows: [Row]) throws {
        let (_, property) = try places.property(entity: entityPlace, property: reader.number())
        let slot = places.shape.layouts[entityIndex].slots[property]
        let isComplete = try reader.number(UInt8.self) != 0
        let length = try reader.count(UInt64.self, size: 1)
        var column = ByteReader(try reader.take(length))
        var present = rows
        if !isComplete {
            let bitmap = try column.take((rows.count + 7) / 8)
            present = rows.indices.filter { bitmap[$0 / 8] & (1 << UInt8($0 % 8)) != 0 }.map { rows[$0] }
        }
        try read(slot, from: &column, into: present)
        guard column.left == 0 else { throw damaged("a column is longer than its values") }
    }

    private func read(_ slot: RowSlot, from column: inout ByteReader, into rows: [Row]) throws {
        switch slot.kind {
        case .int:
            let values = try column.numbers(Int64.self, count: rows.count)
            for (index, row) in rows.enumerated() { row.setInt(values[index], slot) }
        case .bool:
            let values = try column.numbers(UInt8.self, count: rows.count)
            for (index, row) in rows.enumerated() { row.setBool(values[index] != 0, slot) }
        case .double, .date:
            let values = try column.numbers(UInt64.self, count: rows.count)
            for (index, row) in rows.enumerated() { row.setDouble(Double(bitPattern: values[index]), slot) }
        case .float:
            let values = try column.numbers(UInt32.self, count: rows.count)
            for (index, row) in rows.enumerated() { row.setFloat(Float(bitPattern: values[index]), slot) }
        case .uuid:
            for row in rows { row.setUUID(UUID(uuid: try column.take(16).loadUnaligned(as: uuid_t.self)), slot) }
        case .toOne:
            let keys = try column.numbers(Int64.self, count: rows.count)
            let entities = try column.numbers(UInt32.self, count: rows.count)
            for (index, row) in rows.enumerated() {
                guard keys[index] > 0 else { throw damaged("a reference names no object") }
                row.setReference(ObjectReference(key: keys[index], entityIndex: try places.entityIndex(entities[index])), slot)
            }
        case .string, .uri, .decimal, .data, .large, .boxed:
            let lengths = try column.numbers(UInt64.self, count: rows.count)
            for (index, row) in rows.enumerated() {
                guard let length = Int(exactly: lengths[index] & ~BinaryStoreFormat.missingFlag) else { throw damaged("a value is too long") }
                try read(slot, try column.take(length), isMissing: lengths[index] & BinaryStoreFormat.missingFlag != 0, into: row)
            }
        case .toMany:
            throw damaged("it has a column for a relationship to many")
        }
    }

    private func read(_ slot: RowSlot, _ bytes: UnsafeRawBufferPointer, isMissing: Bool, into row: Row) throws {
        switch slot.kind {
        case .string, .uri: row.setString(String(decoding: bytes, as: UTF8.self), slot)
        case .data: row.setData(Data(bytes), slot)
        case .large: row.setLarge(isMissing ? .missing(String(decoding: bytes, as: UTF8.self)) : LargeValue(Data(bytes)), slot)
        case .decimal:
            guard let value = Decimal(string: String(decoding: bytes, as: UTF8.self)) else { throw damaged("a decimal number can't be read") }
            row.setDecimal(value, slot)
        case .boxed:
            var reader = ByteReader(bytes)
            row.setBoxed(BoxedValue(try BoxedCoding.read(&reader, budget)), slot)
        default: break
        }
    }
}
