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
        guard let headerSize = Varint.read(bytes, &place), headerSize >= 1, headerSize <= UInt64(bytes.count) else {
            return nil
        }
        let headerEnd = Int(headerSize)
        var cells: [SalvagedCell] = []
        var start = headerEnd, isSound = true
        while place < headerEnd {
            guard cells.count < Self.mostColumns, let type = Varint.read(bytes, &place), place <= headerEnd,
                SerialType.isValid(type, inRecordOf: size)
            else {
                cells.append(.unreadable)
                isSound = false
                break
            }
            let length = SerialType.length(type)
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

    private static func cell(_ type: UInt64, _ bytes: ArraySlice<UInt8>) -> SalvagedCell {
        if type >= SerialType.firstBlob { return type % 2 == 0 ? .blob(Array(bytes)) : .text(Array(bytes)) }
        guard type != SerialType.null else { return .null }
        return bytes.withUnsafeBytes { bytes in
            // Two of the integers have no bytes; nothing is read of those then.
            withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { field in
                field.copyBytes(from: bytes)
                let start = UnsafeRawPointer(field.baseAddress!)
                if let value = SerialType.integer(UInt32(type), start) { return .integer(value) }
                let real = SerialType.real(start)
                return real.isNaN ? .null : .real(real)
            }
        }
    }
}
