internal import CFolio
internal import Folio
internal import Foundation
internal import Interchange
internal import RowMemory

/// The memory of the text, bytes and lists in values that the host reads.
///
/// What was allocated stays where it is until ``reset()``, which keeps the first chunk for the next
/// values.
final class ValueBuffer {
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var current = 0
    private var offset = 0
    private static let chunkSize = 4096
    /// Chunks above this size are not kept.
    private static let keptSize = 1 << 20

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Forgets what was allocated.
    func reset() {
        if chunks.count > 1 || (chunks.first?.count ?? 0) > Self.keptSize {
            for chunk in chunks { chunk.deallocate() }
            chunks = []
        }
        (current, offset) = (0, 0)
    }

    @inline(__always)
    func allocate(_ size: Int, alignment: Int = 8) -> UnsafeMutableRawPointer {
        let start = (offset + alignment - 1) & ~(alignment - 1)
        if current < chunks.count, start + size <= chunks[current].count, let base = chunks[current].baseAddress {
            offset = start + size
            return base + start
        }
        return allocateInNewChunk(size)
    }

    private func allocateInNewChunk(_ size: Int) -> UnsafeMutableRawPointer {
        let last = chunks.last?.count ?? 0
        let chunk = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(size, min(max(Self.chunkSize, last * 2), 8 << 20)), alignment: 16)
        chunks.append(chunk)
        current = chunks.count - 1
        offset = size
        guard let base = chunk.baseAddress else { preconditionFailure("A chunk has bytes") }
        return base
    }

    // MARK: Values

    /// Writes the value of an attribute for the host, the frequent types without making a
    /// `PropertyValue`.
    func write(_ row: Row, _ slot: RowSlot, to place: UnsafeMutablePointer<folio_value>) {
        guard row.hasValue(slot) else { return write(.null, to: place) }
        switch slot.kind {
        case .int: write(.int(row.int(slot) ?? 0), to: place)
        case .string: write(row.string(slot) ?? "", FOLIO_STRING, to: place)
        case .double: write(row.double(slot) ?? 0, FOLIO_DOUBLE, to: place)
        case .date: write(row.double(slot) ?? 0, FOLIO_DATE, to: place)
        case .bool: write(.bool(row.bool(slot) ?? false), to: place)
        case .uuid:
            place.pointee.type = Int32(FOLIO_UUID.rawValue)
            if let uuid = row.uuid(slot) { place.pointee.as.uuid = uuid.uuid }
        default: write(row.value(slot), to: place)
        }
    }

    /// Writes a value for the host.
    @inline(__always)
    func write(_ value: PropertyValue, to place: UnsafeMutablePointer<folio_value>) {
        switch value {
        case .int(let integer):
            place.pointee.type = Int32(FOLIO_INTEGER.rawValue)
            place.pointee.as.integer = integer
        case .string(let text): write(text, FOLIO_STRING, to: place)
        case .double(let number): write(number, FOLIO_DOUBLE, to: place)
        case .date(let date): write(date.timeIntervalSinceReferenceDate, FOLIO_DATE, to: place)
        case .bool(let boolean):
            place.pointee.type = Int32(FOLIO_BOOLEAN.rawValue)
            place.pointee.as.integer = 0
            place.pointee.as.boolean = boolean
        case .null:
            place.pointee.type = Int32(FOLIO_NULL.rawValue)
            place.pointee.as.integer = 0
        default: writeOther(value, to: place)
        }
    }

    private func writeOther(_ value: PropertyValue, to place: UnsafeMutablePointer<folio_value>) {
        switch value {
        case .float(let number): write(Double(number), FOLIO_FLOAT, to: place)
        case .decimal(let decimal): write(ValueText.decimal(decimal), FOLIO_DECIMAL, to: place)
        case .uri(let url): write(url.absoluteString, FOLIO_URI, to: place)
        case .uuid(let uuid):
            place.pointee.type = Int32(FOLIO_UUID.rawValue)
            place.pointee.as.uuid = uuid.uuid
        case .data(let bytes):
            let copy = allocate(bytes.count + 1, alignment: 1)
            bytes.copyBytes(to: copy.assumingMemoryBound(to: UInt8.self), count: bytes.count)
            copy.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
            place.pointee.type = Int32(FOLIO_BYTES.rawValue)
            place.pointee.as.bytes.data = UnsafeRawPointer(copy)
            place.pointee.as.bytes.size = bytes.count
        case .large(let large):
            place.pointee.type = Int32(FOLIO_LARGE.rawValue)
            // One whose file is missing is there, and has no size.
            place.pointee.as.integer = (try? large.count) ?? -1
        case .object(let id):
            place.pointee.type = Int32(FOLIO_REFERENCE.rawValue)
            place.pointee.as.reference = folio_reference(id)
        case .composite(let parts): write(parts, to: place)
        case .list(let elements): write(elements, to: place)
        case .int, .string, .double, .date, .bool, .null: write(value, to: place)
        }
    }

    private func write(_ number: Double, _ type: folio_type, to place: UnsafeMutablePointer<folio_value>) {
        place.pointee.type = Int32(type.rawValue)
        place.pointee.as.number = number
    }

    private func write(_ text: String, _ type: folio_type, to place: UnsafeMutablePointer<folio_value>) {
        let copy = copy(text)
        place.pointee.type = Int32(type.rawValue)
        place.pointee.as.text.data = copy.pointer
        place.pointee.as.text.size = copy.size
    }

    private func copy(_ text: String) -> (pointer: UnsafePointer<CChar>, size: Int) {
        var text = text
        return text.withUTF8 { bytes in
            let copy = allocate(bytes.count + 1, alignment: 1)
            if let base = bytes.baseAddress { copy.copyMemory(from: base, byteCount: bytes.count) }
            copy.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
            return (UnsafePointer(copy.assumingMemoryBound(to: CChar.self)), bytes.count)
        }
    }

    private func write(_ parts: [String: PropertyValue], to place: UnsafeMutablePointer<folio_value>) {
        let members = allocate(max(1, parts.count) * MemoryLayout<folio_member>.stride)
            .bindMemory(to: folio_member.self, capacity: max(1, parts.count))
        for (index, part) in parts.sorted(by: { $0.key < $1.key }).enumerated() {
            members[index] = folio_member(name: copy(part.key).pointer, value: folio_value())
            write(part.value, to: &members[index].value)
        }
        place.pointee.type = Int32(FOLIO_COMPOSITE.rawValue)
        place.pointee.as.members.items = UnsafePointer(members)
        place.pointee.as.members.count = parts.count
    }

    private func write(_ elements: [PropertyValue], to place: UnsafeMutablePointer<folio_value>) {
        let references = allocate(max(1, elements.count) * MemoryLayout<folio_reference>.stride)
            .bindMemory(to: folio_reference.self, capacity: max(1, elements.count))
        var count = 0
        for case .object(let id) in elements {
            references[count] = folio_reference(id)
            count += 1
        }
        place.pointee.type = Int32(FOLIO_REFERENCES.rawValue)
        place.pointee.as.references.items = UnsafePointer(references)
        place.pointee.as.references.count = count
    }
}

extension folio_reference {
    init(_ id: ManagedObjectID) { self.init(key: id.key, entity: Int32(id.entityIndex)) }
}
