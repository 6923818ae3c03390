import Coding
import Foundation
import Schema
import Storage

/// The encoding of boxed values (composites) in a binary store: a byte for the type, followed by
/// the value. Composites consist of the number of their parts, and the name and value of each.
enum BoxedCoding {
    private enum Tag: UInt8 {
        case null = 0, int, bool, double, float, decimal, date, string, data, uuid, uri, composite, list
    }

    private static let deepest = 32

    static func write(_ value: PropertyValue, to writer: inout ByteWriter) throws {
        func put(_ tag: Tag) { writer.put(tag.rawValue) }
        switch value {
        case .null, .object: put(.null)
        case .int(let number):
            put(.int)
            writer.put(number)
        case .bool(let flag):
            put(.bool)
            writer.put(flag ? 1 : 0 as UInt8)
        case .double(let number):
            put(.double)
            writer.put(number.bitPattern)
        case .float(let number):
            put(.float)
            writer.put(number.bitPattern)
        case .decimal(let number):
            put(.decimal)
            writer.put(text: number.description)
        case .date(let date):
            put(.date)
            writer.put(date.timeIntervalSinceReferenceDate.bitPattern)
        case .string(let text):
            put(.string)
            writer.put(text: text)
        case .data(let data):
            put(.data)
            writer.put(UInt64(data.count))
            writer.put(data)
        case .large(let large):
            try write(.data(try large.data()), to: &writer)
        case .uuid(let uuid):
            put(.uuid)
            withUnsafeBytes(of: uuid.uuid) { writer.put($0) }
        case .uri(let url):
            put(.uri)
            writer.put(text: url.absoluteString)
        case .composite(let parts):
            put(.composite)
            writer.put(UInt32(parts.count))
            for (name, part) in parts.sorted(by: { $0.key < $1.key }) {
                writer.put(text: name)
                try write(part, to: &writer)
            }
        case .list(let elements):
            put(.list)
            writer.put(UInt32(elements.count))
            for element in elements { try write(element, to: &writer) }
        }
    }

    static func read(_ reader: inout ByteReader, _ budget: MemoryBudget, depth: Int = 0) throws(StorageError)
        -> PropertyValue
    {
        guard depth < deepest, let tag = Tag(rawValue: try reader.number()) else {
            throw StorageError(.damaged, "The store is damaged: a composite value can't be read")
        }
        switch tag {
        case .null: return .null
        case .int: return .int(try reader.number())
        case .bool: return .bool(try reader.number(UInt8.self) != 0)
        case .double: return .double(Double(bitPattern: try reader.number()))
        case .float: return .float(Float(bitPattern: try reader.number()))
        case .decimal: return Decimal(string: try reader.text()).map { .decimal($0) } ?? .null
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.number())))
        case .string: return .string(try reader.text())
        case .data: return .data(Data(try reader.take(try reader.count(UInt64.self, size: 1))))
        case .uuid: return .uuid(UUID(uuid: try reader.take(16).loadUnaligned(as: uuid_t.self)))
        case .uri:
            let text = try reader.text()
            return URL(string: text).map { .uri($0) } ?? .string(text)
        case .composite:
            var parts: [String: PropertyValue] = [:]
            for _ in 0..<(try reader.count(UInt32.self, size: 5)) {
                try budget.spend(MemoryBudget.perPart)
                let name = try reader.text()
                parts[name] = try read(&reader, budget, depth: depth + 1)
            }
            return .composite(parts)
        case .list:
            var elements: [PropertyValue] = []
            for _ in 0..<(try reader.count(UInt32.self, size: 1)) {
                try budget.spend(MemoryBudget.perPart)
                elements.append(try read(&reader, budget, depth: depth + 1))
            }
            return .list(elements)
        }
    }
}
