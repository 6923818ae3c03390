import Coding
import Foundation
import RowMemory
import Schema
import Storage

/// Writes a table as a binary store.
struct BinaryStoreWriter {
    private let table: RowTable
    private let shape: TableShape
    private let metadata: StoreMetadata
    private let model: Data

    private struct Section {
        let kind: BinaryStoreFormat.SectionKind
        let bytes: [UInt8]
    }

    init(_ table: RowTable, _ metadata: StoreMetadata, model: Data) {
        self.table = table
        shape = table.shape
        self.metadata = metadata
        self.model = model
    }

    /// The file's content, in pieces.
    /// - Throws: errors of reading a large value.
    func pieces() throws -> [[UInt8]] {
        var sections = [
            Section(kind: .metadata, bytes: [UInt8](PropertyList.encodeBinary(.dictionary(metadata.valuesInFile)))),
            Section(kind: .model, bytes: [UInt8](model)),
            Section(kind: .directory, bytes: directory()),
        ]
        for entity in shape.model.entities where shape.isStored[entity.index] {
            var rows: ContiguousArray<RowCells> = []
            rows.reserveCapacity(table.hierarchy(of: entity.index).count)
            // The table keeps the rows alive.
            table.forEachRow(of: entity.index, includingSubentities: false) { rows.append($0.cells) }
            if !rows.isEmpty { sections.append(Section(kind: .rows, bytes: try self.rows(rows, of: entity))) }
        }
        for relation in shape.relations.indices where isWritten(relation) {
            let lists = table.allLists(of: relation)
            if !lists.isEmpty { sections.append(Section(kind: .members, bytes: members(lists, of: relation))) }
        }
        return try file(sections)
    }

    private func file(_ sections: [Section]) throws -> [[UInt8]] {
        try checkBudget(sections)
        var entries = ByteWriter()
        var offset = BinaryStoreFormat.headerSize + sections.count * BinaryStoreFormat.sectionEntrySize
        for section in sections {
            entries.put(section.kind.rawValue)
            entries.put(0 as UInt32)
            entries.put(UInt64(offset))
            entries.put(UInt64(section.bytes.count))
            entries.put(CRC32.checksum(section.bytes))
            entries.put(0 as UInt32)
            offset += section.bytes.count
        }
        guard let uuid = UUID(uuidString: metadata.uuid) else {
            throw StorageError(.damaged, "The store's UUID is none: \(metadata.uuid)")
        }
        var file = ByteWriter()
        file.put(BinaryStoreFormat.magic)
        file.put(BinaryStoreFormat.version)
        file.put(UInt32(sections.count))
        file.put(UInt64(offset))
        withUnsafeBytes(of: uuid.uuid) { file.put($0) }
        file.put(0 as UInt32)
        var checksum = CRC32()
        checksum.update(file.bytes)
        checksum.update(entries.bytes)
        file.put(checksum.value)
        file.put(entries.bytes)
        return [file.bytes] + sections.map(\.bytes)
    }

    /// Rejects content that could not be read again.
    private func checkBudget(_ sections: [Section]) throws {
        let budget = MemoryBudget(fileSize: sections.reduce(0) { $0 + $1.bytes.count })
        do {
            for entity in shape.model.entities where shape.isStored[entity.index] {
                var count = 0
                table.forEachRow(of: entity.index, includingSubentities: false) { _ in count += 1 }
                try budget.spend(rows: count, of: shape.layouts[entity.index])
            }
        } catch {
            throw StorageError(
                .unsupported, "So many objects with so few values are not for a binary store: use an SQLite store")
        }
    }

    private func directory() -> [UInt8] {
        var writer = ByteWriter()
        writer.put(UInt32(shape.model.entities.count))
        for entity in shape.model.entities {
            writer.put(text: entity.name)
            writer.put(entity.rootIndex == entity.index ? table.numbers.next(root: entity.index) - 1 : 0)
            writer.put(UInt32(entity.properties.count))
            for (property, slot) in zip(entity.properties, shape.layouts[entity.index].slots) {
                writer.put(text: property.name)
                writer.put(BinaryStoreFormat.ColumnKind(slot.kind).rawValue)
            }
        }
        return writer.bytes
    }

    // MARK: Rows

    private func rows(_ rows: ContiguousArray<RowCells>, of entity: EntityDescription) throws -> [UInt8] {
        var writer = ByteWriter()
        let columns = shape.storedSlots[entity.index].map { slot -> (slot: RowSlot, count: Int) in
            let cell = RowCell(slot)
            return (slot, rows.count { $0.hasValue(cell) })
        }.filter { $0.count > 0 }
        writer.reserve(rows.count * (16 + 16 * columns.count))
        writer.put(UInt32(entity.index))
        writer.put(UInt32(columns.count))
        writer.put(UInt64(rows.count))
        writer.put(count: rows.count) { rows[$0].key }
        writer.put(count: rows.count) { rows[$0].version }
        for (slot, count) in columns {
            writer.put(UInt32(slot.index))
            writer.put(count == rows.count ? 1 : 0 as UInt8)
            let place = writer.bytes.count
            writer.put(0 as UInt64)
            if count == rows.count {
                try put(slot, of: rows, to: &writer)
            } else {
                let cell = RowCell(slot)
                writer.put(bitmap(of: cell, in: rows))
                try put(slot, of: rows.filter { $0.hasValue(cell) }, to: &writer)
            }
            writer.replace(at: place, with: UInt64(writer.bytes.count - place - 8))
        }
        return writer.bytes
    }

    private func bitmap(of cell: RowCell, in rows: ContiguousArray<RowCells>) -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: (rows.count + 7) / 8)
        for (index, row) in rows.enumerated() where row.hasValue(cell) { bits[index / 8] |= 1 << UInt8(index % 8) }
        return bits
    }

    /// Writes the values of rows that all have one.
    private func put(_ slot: RowSlot, of rows: ContiguousArray<RowCells>, to writer: inout ByteWriter) throws {
        let cell = RowCell(slot)
        switch slot.kind {
        case .int: writer.put(count: rows.count) { rows[$0].load(cell, as: Int64.self) ?? 0 }
        case .bool: writer.put(count: rows.count) { rows[$0].load(cell, as: Bool.self) == true ? 1 : 0 as UInt8 }
        case .double, .date: writer.put(count: rows.count) { (rows[$0].load(cell, as: Double.self) ?? 0).bitPattern }
        case .float: writer.put(count: rows.count) { (rows[$0].load(cell, as: Float.self) ?? 0).bitPattern }
        case .uuid:
            for row in rows {
                if let value = row.load(cell, as: UUID.self) { withUnsafeBytes(of: value.uuid) { writer.put($0) } }
            }
        case .toOne:
            writer.put(count: rows.count) { rows[$0].load(cell, as: ObjectReference.self)?.key ?? 0 }
            writer.put(count: rows.count) { UInt32(rows[$0].load(cell, as: ObjectReference.self)?.entityIndex ?? 0) }
        case .string, .uri:
            writer.put(count: rows.count) { UInt64((rows[$0].load(cell, as: String.self) ?? "").utf8.count) }
            for row in rows {
                var text = row.load(cell, as: String.self) ?? ""
                text.withUTF8 { writer.put($0) }
            }
        case .data:
            writer.put(count: rows.count) { UInt64(rows[$0].load(cell, as: Data.self)?.count ?? 0) }
            for row in rows { if let data = row.load(cell, as: Data.self) { writer.put(data) } }
        case .decimal:
            putPieces(
                rows.map { Array(($0.load(cell, as: Decimal.self)?.description ?? "").utf8) }, flags: nil, to: &writer)
        case .large:
            let values = rows.compactMap { $0.load(cell, as: LargeValue.self) }
            let pieces = try values.map { value in try value.fileName.map { Array($0.utf8) } ?? [UInt8](value.data()) }
            putPieces(pieces, flags: values.map { $0.fileName != nil }, to: &writer)
        case .boxed:
            putPieces(
                try rows.map { row in
                    var piece = ByteWriter()
                    try BoxedCoding.write(row.load(cell, as: BoxedValue.self)?.value ?? .null, to: &piece)
                    return piece.bytes
                }, flags: nil, to: &writer)
        case .toMany: break
        }
    }

    private func putPieces(_ pieces: [[UInt8]], flags: [Bool]?, to writer: inout ByteWriter) {
        for (index, piece) in pieces.enumerated() {
            writer.put(UInt64(piece.count) | (flags?[index] == true ? BinaryStoreFormat.missingFlag : 0))
        }
        for piece in pieces { writer.put(piece) }
    }

    // MARK: Members

    private func isWritten(_ relation: Int) -> Bool {
        switch shape.relations[relation].kind {
        case .keys: return shape.relations[relation].isOrdered
        case .free: return true
        case .linked(let inverse):
            return shape.relations[relation].isOrdered || (relation <= inverse && !shape.relations[inverse].isOrdered)
        }
    }

    private func members(_ lists: [Int64: [ObjectReference]], of relation: Int) -> [UInt8] {
        var writer = ByteWriter()
        let owners = lists.sorted { $0.key < $1.key }
        writer.put(UInt32(shape.relations[relation].entityIndex))
        writer.put(UInt32(shape.relations[relation].property.index))
        writer.put(UInt64(owners.count))
        for owner in owners { writer.put(owner.key) }
        for owner in owners { writer.put(UInt32(owner.value.count)) }
        for owner in owners { for member in owner.value { writer.put(member.key) } }
        for owner in owners { for member in owner.value { writer.put(UInt32(member.entityIndex)) } }
        return writer.bytes
    }
}
