/// The five kinds of values that SQLite stores.
@usableFromInline package enum StorageClass: Int32, Sendable, Hashable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}

/// A separate copy of a value, for uses that are not performance-critical.
package enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var real: Double? { if case .real(let value) = self { value } else { nil } }
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }
    package var isNull: Bool { self == .null }
}
