public import Foundation

/// A value in a store's metadata: what property lists can hold.
public indirect enum MetadataValue: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([MetadataValue])
    case dictionary([String: MetadataValue])
}
