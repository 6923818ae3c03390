import Coding

/// One entry of a zip archive as a hostile writer makes it: everything may lie.
struct ZipItem {
    var name: [UInt8]
    var content: [UInt8]
    var isDeflated = false
    /// What the entry's own header says, where it is something else.
    var localName: [UInt8]?
    var method: UInt16?
    var flags: UInt16 = 0
    var crc: UInt32?
    /// The size that both headers declare; beyond 32 bits in a Zip64 field.
    var size: UInt64?
    var offset: UInt64?
    /// Unix mode and kind.
    var mode: UInt32 = 0o100644

    init(_ name: String, _ content: [UInt8] = [], deflated: Bool = false, _ change: (inout ZipItem) -> Void = { _ in })
    {
        self.name = Array(name.utf8)
        self.content = content
        isDeflated = deflated
        change(&self)
    }
}

/// Writes zip archives byte by byte, by the specification or against it.
enum ZipBytes {
    static func archive(_ items: [ZipItem], count: UInt64? = nil, comment: [UInt8] = []) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for item in items {
            let data = item.isDeflated ? try deflated(item.content) : item.content
            let crc = item.crc ?? CRC32.checksum(item.content)
            let size = item.size ?? UInt64(item.content.count)
            let offset = item.offset ?? UInt64(bytes.count)
            let method = item.method ?? (item.isDeflated ? 8 : 0)
            let stored: UInt64 = item.size != nil && !item.isDeflated ? size : UInt64(data.count)
            let isWide = size > 0xFFFF_FFFE || offset > 0xFFFF_FFFE
            var extra: [UInt8] = []
            if isWide {
                extra = number(UInt16(1)) + number(UInt16(24)) + number(size) + number(stored) + number(offset)
            }
            let localExtra = isWide ? number(UInt16(1)) + number(UInt16(16)) + number(size) + number(stored) : []
            func narrow(_ value: UInt64) -> [UInt8] { isWide ? number(UInt32.max) : number(UInt32(value)) }
            let common =
                number(item.flags) + number(method) + number(UInt16(0)) + number(UInt16(33)) + number(crc)
                + narrow(stored) + narrow(size)
            let localName = item.localName ?? item.name
            bytes +=
                [0x50, 0x4B, 3, 4] + number(UInt16(20)) + common + number(UInt16(localName.count))
                + number(UInt16(localExtra.count))
            bytes += localName + localExtra + data
            directory +=
                [0x50, 0x4B, 1, 2] + number(UInt16(3 << 8 | 20)) + number(UInt16(20)) + common
                + number(UInt16(item.name.count))
            directory +=
                number(UInt16(extra.count)) + number(UInt16(0)) + number(UInt16(0)) + number(UInt16(0))
                + number(item.mode << 16)
            directory += narrow(offset) + item.name + extra
        }
        let place = bytes.count
        bytes += directory
        if let count {
            let record = bytes.count
            bytes +=
                [0x50, 0x4B, 6, 6] + number(UInt64(44)) + number(UInt16(45)) + number(UInt16(45)) + number(UInt32(0))
                + number(UInt32(0))
            bytes += number(count) + number(count) + number(UInt64(directory.count)) + number(UInt64(place))
            bytes += [0x50, 0x4B, 6, 7] + number(UInt32(0)) + number(UInt64(record)) + number(UInt32(1))
        }
        let shown = count == nil ? UInt16(items.count) : .max
        bytes += [0x50, 0x4B, 5, 6] + number(UInt16(0)) + number(UInt16(0)) + number(shown) + number(shown)
        bytes += number(UInt32(directory.count)) + number(UInt32(place)) + number(UInt16(comment.count)) + comment
        return bytes
    }

    static func deflated(_ content: [UInt8]) throws -> [UInt8] {
        var result: [UInt8] = []
        try content.withUnsafeBytes {
            try DeflateStream(level: 9).compress($0, isLast: true) { result.append(contentsOf: $0) }
        }
        return result
    }

    static func number(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
