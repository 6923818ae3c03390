import Coding
import Foundation
import RowMemory
import Schema
import Storage

/// Reads a binary store: its metadata and model on initialization, and its objects into a table
/// once the model is known.
struct BinaryStoreReader {
    private let bytes: [UInt8]
    private let sections: [Section]
    let metadata: StoreMetadata
    let modelBytes: Data

    private struct Section {
        let kind: BinaryStoreFormat.SectionKind
        let range: Range<Int>
    }

    /// - Throws: `StorageError.notAStore`, `newer`, `damaged`.
    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        let (uuid, sections) = try bytes.withUnsafeBytes { try Self.header($0) }
        self.sections = sections
        func section(_ kind: BinaryStoreFormat.SectionKind) throws -> Data {
            guard let section = sections.first(where: { $0.kind == kind }) else {
                throw Self.damaged("a part of it is missing")
            }
            return Data(bytes[section.range])
        }
        guard let values = try PropertyList.decode(try section(.metadata)).dictionary else {
            throw Self.damaged("its metadata are no dictionary")
        }
        metadata = StoreMetadata(uuid: uuid.uuidString, type: .binary, values: values)
        modelBytes = try section(.model)
    }

    private static func damaged(_ what: String) -> StorageError {
        StorageError(.damaged, "The store is damaged: \(what)")
    }

    private static func header(_ bytes: UnsafeRawBufferPointer) throws -> (UUID, [Section]) {
        guard bytes.prefix(8).elementsEqual(BinaryStoreFormat.magic) else {
            throw StorageError(.notAStore, "This is no binary store")
        }
        var reader = ByteReader(bytes)
        _ = try reader.take(8)
        let version = try reader.number(UInt32.self)
        guard version <= BinaryStoreFormat.version else {
            throw StorageError(.newer, "The store is of format \(version): it needs a newer program")
        }
        let count = Int(try reader.number(UInt32.self))
        guard try reader.number(UInt64.self) == UInt64(bytes.count) else {
            throw damaged("it is not as long as it says")
        }
        let uuid = UUID(uuid: try reader.take(16).loadUnaligned(as: uuid_t.self))
        _ = try reader.take(4)
        let checksum = try reader.number(UInt32.self)
        guard count <= BinaryStoreFormat.largestSectionCount, count * BinaryStoreFormat.sectionEntrySize <= reader.left
        else {
            throw damaged("it promises more parts than it holds")
        }
        var sum = CRC32()
        sum.update(UnsafeRawBufferPointer(rebasing: bytes[..<(BinaryStoreFormat.headerSize - 4)]))
        let end = BinaryStoreFormat.headerSize + count * BinaryStoreFormat.sectionEntrySize
        sum.update(UnsafeRawBufferPointer(rebasing: bytes[BinaryStoreFormat.headerSize..<end]))
        guard sum.value == checksum else { throw damaged("its header has another checksum") }
        var sections: [Section] = []
        var next = end
        for _ in 0..<count {
            let kind = try reader.number(UInt32.self)
            _ = try reader.take(4)
            let offset = try reader.number(UInt64.self), length = try reader.number(UInt64.self)
            let checksum = try reader.number(UInt32.self)
            _ = try reader.take(4)
            guard offset == UInt64(next), length <= UInt64(bytes.count - next) else {
                throw damaged("its parts do not follow each other")
            }
            guard let kind = BinaryStoreFormat.SectionKind(rawValue: kind) else {
                throw damaged("it has a part of an unknown kind")
            }
            let range = next..<(next + Int(length))
            guard CRC32.checksum(UnsafeRawBufferPointer(rebasing: bytes[range])) == checksum else {
                throw damaged("a part has another checksum")
            }
            sections.append(Section(kind: kind, range: range))
            next = range.upperBound
        }
        guard next == bytes.count else { throw damaged("something follows its last part") }
        return (uuid, sections)
    }

    // MARK: Objects

    private func readers(_ kind: BinaryStoreFormat.SectionKind, _ bytes: UnsafeRawBufferPointer) -> [ByteReader] {
        sections.filter { $0.kind == kind }.map { ByteReader(UnsafeRawBufferPointer(rebasing: bytes[$0.range])) }
    }

    /// Counts the objects by entity, from the directory and the beginnings of the sections with
    /// rows.
    func objectCounts() throws -> [String: Int] {
        try bytes.withUnsafeBytes { bytes in
            guard var directory = readers(.directory, bytes).first else {
                throw Self.damaged("a part of it is missing")
            }
            var names: [String] = []
            for _ in 0..<(try directory.count(UInt32.self, size: 16)) {
                names.append(try directory.text())
                _ = try directory.number(Int64.self)
                for _ in 0..<(try directory.count(UInt32.self, size: 5)) {
                    _ = (try directory.text(), try directory.number(UInt8.self))
                }
            }
            var counts = Dictionary(names.map { ($0, 0) }) { first, _ in first }
            for var rows in readers(.rows, bytes) {
                let place = Int(try rows.number(UInt32.self))
                guard place < names.count else { throw Self.damaged("it names an entity that it does not know") }
                _ = try rows.number(UInt32.self)
                counts[names[place], default: 0] += try rows.count(UInt64.self, size: 16)
            }
            return counts
        }
    }

    /// Loads the objects into an empty table.
    /// - Parameter ignoresUnknown: Whether entities and properties that the model lacks are passed
    ///   over.
    /// - Returns: The names of what was passed over.
    func load(into table: RowTable, ignoringUnknown ignoresUnknown: Bool) throws -> Set<String> {
        try bytes.withUnsafeBytes { bytes in
            guard var directory = readers(.directory, bytes).first else {
                throw Self.damaged("a part of it is missing")
            }
            let places = try BinaryDirectory(&directory, table, ignoringUnknown: ignoresUnknown)
            let budget = MemoryBudget(fileSize: bytes.count)
            var rows: [Int: [ContiguousArray<RowSlab>]] = [:]
            for reader in readers(.rows, bytes) {
                guard var section = try BinaryRowsReader(reader, places, budget) else { continue }
                rows[table.shape.root(of: section.entityIndex), default: []].append(try section.slabs())
            }
            for (root, sections) in rows {
                if sections.count == 1 {
                    table.load(sections[0], root: root)
                } else {
                    table.load(try Self.united(sections), root: root)
                }
            }
            for var reader in readers(.members, bytes) { try loadMembers(&reader, places, into: table) }
            for relation in table.shape.relations.indices { table.completeLists(of: relation) }
            return places.unknown
        }
    }

    /// The rows of several entities of a hierarchy, ordered by primary key.
    private static func united(_ sections: [ContiguousArray<RowSlab>]) throws -> [(key: Int64, row: Row)] {
        var rows: [(key: Int64, row: Row)] = []
        for slab in sections.joined() {
            for index in 0..<slab.count {
                let row = slab.row(at: index)
                rows.append((row.key, row))
            }
        }
        rows.sort { $0.key < $1.key }
        guard zip(rows, rows.dropFirst()).allSatisfy({ $0.key < $1.key }) else {
            throw damaged("two objects have one number")
        }
        return rows
    }

    private func loadMembers(_ reader: inout ByteReader, _ places: BinaryDirectory, into table: RowTable) throws {
        guard let (entityIndex, property) = try places.property(entity: reader.number(), property: reader.number())
        else { return }
        guard let relation = table.shape.relation(entityIndex: entityIndex, propertyIndex: property) else {
            throw Self.damaged("it has members of what is no relationship to many")
        }
        let ownerCount = try reader.count(UInt64.self, size: 12)
        let owners = try reader.numbers(Int64.self, count: ownerCount)
        let counts = try reader.numbers(UInt32.self, count: ownerCount)
        let total = (0..<ownerCount).reduce(0) { $0 + Int(counts[$1]) }
        let numbers = try reader.numbers(Int64.self, count: total)
        let entities = try reader.numbers(UInt32.self, count: total)
        var next = 0
        for index in 0..<ownerCount {
            let end = next + Int(counts[index])
            let members = try (next..<end).compactMap { member in
                try places.entityIndex(entities[member]).map {
                    ObjectReference(key: numbers[member], entityIndex: $0)
                }
            }
            table.load(members, of: owners[index], relation)
            next = end
        }
    }
}
