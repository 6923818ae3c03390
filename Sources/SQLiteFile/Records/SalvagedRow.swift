/// A value of a record in a damaged database.
package enum SalvagedCell: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// In the encoding of the database.
    case text([UInt8])
    case blob([UInt8])
    /// The bytes are missing.
    case unreadable

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }
}

/// A row of a table in a damaged database.
package struct SalvagedRow: Sendable {
    package let key: Int64
    /// The cells in the record. Columns that were added later are missing.
    package let cells: [SalvagedCell]
    /// Whether the lengths in the record are consistent.
    package let isSound: Bool

    package subscript(_ field: Int?) -> SalvagedCell {
        guard let field, field < cells.count else { return .null }
        return cells[field]
    }

    /// Reads a record. The format is described in SQLite's file format, "Record Format".
    /// - Parameters:
    ///   - bytes: The available bytes of the record.
    ///   - size: The size of the record according to its cell.
    /// - Returns: nil if not even its header is complete.
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
            // Two of the integer types have no bytes; none are read for these.
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
