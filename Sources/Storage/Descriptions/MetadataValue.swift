public import Foundation

/// A value in the metadata of a store: one of the types of property lists.
public indirect enum MetadataValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A truth value.
    case boolean(Bool)
    /// A point in time.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An array of values.
    case array([MetadataValue])
    /// A dictionary of values.
    case dictionary([String: MetadataValue])
}
