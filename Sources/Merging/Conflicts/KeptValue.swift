package import Foundation
internal import Schema

/// A value in the list of conflicts: an object with one member, which is named by the type.
package indirect enum KeptValue: Sendable, Hashable {
    case null
    case int(Int64)
    case bool(Bool)
    /// By its bits, which every number has.
    case double(UInt64)
    case float(UInt32)
    case date(UInt64)
    case decimal(String)
    case string(String)
    case data(Data)
    case uuid(UUID)
    case uri(String)
    case composite([String: KeptValue])
    case object(String)
    case list([KeptValue])
    /// Of a value that is too large for the list: its size.
    case large(Int64)

    /// Larger values are not in the list.
    static let largestData = 16 << 10

    /// - Throws: What reading a large value throws.
    init(_ value: PropertyValue) throws {
        switch value {
        case .null: self = .null
        case .int(let value): self = .int(value)
        case .bool(let value): self = .bool(value)
        case .double(let value): self = .double(value.bitPattern)
        case .float(let value): self = .float(value.bitPattern)
        case .date(let value): self = .date(value.timeIntervalSinceReferenceDate.bitPattern)
        case .decimal(let value): self = .decimal("\(value)")
        case .string(let value): self = .string(value)
        case .data(let value): self = value.count > Self.largestData ? .large(Int64(value.count)) : .data(value)
        case .large(let value):
            let count = try value.count
            self = count > Self.largestData ? .large(count) : .data(try value.data())
        case .uuid(let value): self = .uuid(value)
        case .uri(let value): self = .uri(value.absoluteString)
        case .composite(let parts): self = .composite(try parts.mapValues { try KeptValue($0) })
        case .object(let id): self = .object("\(id.entity.name)/p\(id.key)")
        case .list(let values): self = .list(try values.map { try KeptValue($0) })
        }
    }

    /// A value whose file may be missing. An archive keeps its former states without large values,
    /// and git merges the store of a package without them.
    init(possiblyMissing value: PropertyValue) throws {
        if case .large(let large) = value, (try? large.count) == nil { self = .large(0) } else { try self.init(value) }
    }

    /// The same with other names of objects; those that have none are left out.
    func renamed(_ rename: (String) -> String?) -> KeptValue {
        switch self {
        case .object(let name): rename(name).map { .object($0) } ?? .null
        case .list(let values): .list(values.map { $0.renamed(rename) }.filter { $0 != .null })
        default: self
        }
    }

    func value(in store: StoreIdentity) -> PropertyValue {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .double(let bits): .double(Double(bitPattern: bits))
        case .float(let bits): .float(Float(bitPattern: bits))
        case .date(let bits): .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
        case .decimal(let text): Decimal(string: text).map { .decimal($0) } ?? .null
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .uuid(let value): .uuid(value)
        case .uri(let text): URL(string: text).map { .uri($0) } ?? .null
        case .composite(let parts): .composite(parts.mapValues { $0.value(in: store) })
        case .object(let text): ManagedObjectID(text: text, store: store).map { .object($0) } ?? .null
        case .list(let values): .list(values.map { $0.value(in: store) })
        case .large: .null
        }
    }
}

extension KeptValue: Codable {
    private enum Key: String, CodingKey {
        case null, int, bool, double, float, date, decimal, string, data, uuid, uri, composite, object, list, large
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        guard let key = fields.allKeys.first, fields.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a value has one member, named by its type"))
        }
        func bits<Number: FixedWidthInteger>(_ key: Key, _ type: Number.Type) throws -> Number {
            guard let bits = Number(try fields.decode(String.self, forKey: key), radix: 16) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: fields, debugDescription: "not hexadecimal")
            }
            return bits
        }
        switch key {
        case .null: self = .null
        case .int: self = .int(try fields.decode(Int64.self, forKey: key))
        case .bool: self = .bool(try fields.decode(Bool.self, forKey: key))
        case .double: self = .double(try bits(key, UInt64.self))
        case .float: self = .float(try bits(key, UInt32.self))
        case .date: self = .date(try bits(key, UInt64.self))
        case .decimal: self = .decimal(try fields.decode(String.self, forKey: key))
        case .string: self = .string(try fields.decode(String.self, forKey: key))
        case .data: self = .data(try fields.decode(Data.self, forKey: key))
        case .uuid: self = .uuid(try fields.decode(UUID.self, forKey: key))
        case .uri: self = .uri(try fields.decode(String.self, forKey: key))
        case .composite: self = .composite(try fields.decode([String: KeptValue].self, forKey: key))
        case .object: self = .object(try fields.decode(String.self, forKey: key))
        case .list: self = .list(try fields.decode([KeptValue].self, forKey: key))
        case .large: self = .large(try fields.decode(Int64.self, forKey: key))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        switch self {
        case .null: try fields.encode(true, forKey: .null)
        case .int(let value): try fields.encode(value, forKey: .int)
        case .bool(let value): try fields.encode(value, forKey: .bool)
        case .double(let bits): try fields.encode(String(bits, radix: 16), forKey: .double)
        case .float(let bits): try fields.encode(String(bits, radix: 16), forKey: .float)
        case .date(let bits): try fields.encode(String(bits, radix: 16), forKey: .date)
        case .decimal(let text): try fields.encode(text, forKey: .decimal)
        case .string(let value): try fields.encode(value, forKey: .string)
        case .data(let value): try fields.encode(value, forKey: .data)
        case .uuid(let value): try fields.encode(value, forKey: .uuid)
        case .uri(let text): try fields.encode(text, forKey: .uri)
        case .composite(let parts): try fields.encode(parts, forKey: .composite)
        case .object(let text): try fields.encode(text, forKey: .object)
        case .list(let values): try fields.encode(values, forKey: .list)
        case .large(let count): try fields.encode(count, forKey: .large)
        }
    }
}
