/// A value of a record in a damaged database.
package enum SalvagedCell: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// In the encoding of the database.
    case text([UInt8])
    case blob([UInt8])
    /// Its bytes are not there.
    case unreadable

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }
}

/// A row of a table in a damaged database.
package struct SalvagedRow: Sendable {
    package let key: Int64
    /// As many as the record has: columns that were added later are not there.
    package let cells: [SalvagedCell]
    /// Whether the record's own lengths agree.
    package let isSound: Bool

    package subscript(_ field: Int?) -> SalvagedCell {
        guard let field, field < cells.count else { return .null }
        return cells[field]
    }

    /// Reads a record. The format is that of SQLite's file format, "Record Format".
    /// - Parameters:
    ///   - bytes: The record, as far as it is there.
    ///   - size: How long it is by its cell.
    /// - Returns: nil where not even its header is there.
    init?(key: Int64, bytes: [UInt8], size: Int) {
        var place = 0
        guard let headerSize = Self.integer(bytes, &place), headerSize >= 1, headerSize <= UInt64(bytes.count) else {
            return nil
        }
        let headerEnd = Int(headerSize)
        var cells: [SalvagedCell] = []
        var start = headerEnd, isSound = true
        while place < headerEnd {
            guard cells.count < Self.mostColumns, let type = Self.integer(bytes, &place), place <= headerEnd,
                type <= 2 * UInt64(size) + 13, type != 10, type != 11
            else {
                cells.append(.unreadable)
                isSound = false
                break
            }
            let length = Self.length(type)
            if start + length <= bytes.count {
                cells.append(Self.cell(type, bytes[start..<start + length]))
            } else {
                cells.append(.unreadable)
                isSound = false
            }
            start += length
        }
        self.key = key
        self.cells = cells
        self.isSound = isSound && start == size
    }

    private static let mostColumns = 32_767

    private static func length(_ type: UInt64) -> Int {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        default: Int((type - 12) / 2)
        }
    }

    private static func cell(_ type: UInt64, _ bytes: ArraySlice<UInt8>) -> SalvagedCell {
        switch type {
        case 0: return .null
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 12...: return type % 2 == 0 ? .blob(Array(bytes)) : .text(Array(bytes))
        default:
            // Sign and all.
            var value: Int64 = bytes.first.map { $0 & 0x80 != 0 } == true && type != 7 ? -1 : 0
            for byte in bytes { value = value << 8 | Int64(byte) }
            // SQLite reads a number that is none as NULL.
            guard type == 7 else { return .integer(value) }
            let real = Double(bitPattern: UInt64(bitPattern: value))
            return real.isNaN ? .null : .real(real)
        }
    }

    /// A variable-length integer; nil where it does not end.
    static func integer(_ bytes: [UInt8], _ place: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for count in 0..<9 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            if count == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return value }
        }
        return value
    }
}
