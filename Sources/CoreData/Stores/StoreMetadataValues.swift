import Foundation
import Storage

/// The metadata of stores between Core Data's dictionaries and Folio's values.
enum StoreMetadataValues {
    static func hashes(_ metadata: [String: Any]) -> [String: Data] {
        (metadata[NSStoreModelVersionHashesKey] as? [String: Any])?.compactMapValues { $0 as? Data } ?? [:]
    }

    static func plain(_ metadata: [String: MetadataValue]) -> [String: Any] { metadata.mapValues { plain($0) } }

    private static func plain(_ value: MetadataValue) -> Any {
        switch value {
        case .string(let text): text
        case .integer(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .boolean(let flag): NSNumber(value: flag)
        case .date(let date): date
        case .data(let data): data
        case .array(let elements): elements.map { plain($0) }
        case .dictionary(let pairs): pairs.mapValues { plain($0) }
        }
    }

    /// - Throws: `StorageError` with code `unsupported` for a value that no property list has.
    static func values(_ metadata: [String: Any]) throws -> [String: MetadataValue] {
        try metadata.mapValues { try value($0) }
    }

    static func value(_ value: Any) throws -> MetadataValue {
        let kind = type(of: value)
        if kind is NSNumber.Type, let number = value as? NSNumber {
            switch String(cString: number.objCType) {
            case "d", "f": return .real(number.doubleValue)
            case "c" where number.int64Value == 0 || number.int64Value == 1: return .boolean(number.boolValue)
            default: return .integer(number.int64Value)
            }
        }
        switch value {
        case let value as MetadataValue: return value
        case let text as String: return .string(text)
        case let flag as Bool: return .boolean(flag)
        case let number as any BinaryInteger: return .integer(Int64(clamping: number))
        case let number as Double: return .real(number)
        case let number as Float: return .real(Double(number))
        case let date as Date: return .date(date)
        case let data as Data: return .data(data)
        case let elements as [Any]: return .array(try elements.map { try Self.value($0) })
        case let pairs as [String: Any]: return .dictionary(try values(pairs))
        default:
            throw StorageError(.unsupported, "A property list can't have a value of the type \(type(of: value))")
        }
    }
}
