internal import Coding
public import Foundation

/// Stores Foundation values as keyed archives, as Core Data does for transformable attributes
/// without a transformer of their own.
///
/// Supported are strings, numbers, booleans, dates, data, URLs, UUIDs, decimals and `NSNull`, and
/// arrays, dictionaries and sets of them, nested up to 64 deep. An archive that contains an object
/// of a class outside of ``allowedClassNames``, at any depth, is rejected as a whole; no other
/// class is ever instantiated.
public struct SecureArchiveTransformer: AttributeTransformer {
    /// The Objective-C names of the classes that archives may contain. Subclasses are allowed, too,
    /// and are read as the listed class.
    public let allowedClassNames: Set<String>

    /// The classes that Core Data's own transformer allows.
    public static let standardClassNames: Set<String> = [
        "NSString", "NSNumber", "NSDate", "NSData", "NSURL", "NSUUID", "NSNull", "NSArray", "NSDictionary", "NSSet",
    ]

    /// The maximum nesting depth of collections.
    private static let deepest = 64

    /// The reason why a value or an archive was rejected.
    public struct Refusal: Error, CustomStringConvertible {
        public let description: String
    }

    /// Creates a transformer.
    ///
    /// - Parameter allowedClassNames: A subset of ``standardClassNames``; fewer names make a
    ///   stricter transformer.
    public init(allowedClassNames: Set<String> = Self.standardClassNames) { self.allowedClassNames = allowedClassNames }

    // MARK: Writing

    public func data(from value: Any) throws -> Data {
        var writer = KeyedArchiveWriter()
        let root = try add(value, to: &writer, depth: 0)
        return writer.finish(root: root)
    }

    private func add(_ value: Any, to writer: inout KeyedArchiveWriter, depth: Int) throws
        -> KeyedArchiveWriter.Reference
    {
        guard depth <= Self.deepest else {
            throw Refusal(description: "collections lie more than \(Self.deepest) deep in each other")
        }
        switch value {
        case let text as String: return writer.add(string: text)
        case let flag as Bool: return writer.add(.boolean(flag))
        case let number as any BinaryInteger:
            guard let number = Int64(exactly: number) else { throw Refusal(description: "\(number) is too great") }
            return writer.add(.integer(number))
        case let number as Double: return writer.add(.real(number))
        case let number as Float: return writer.add(.real(Double(number)))
        case let number as Decimal: return writer.add(decimal: number)
        case let date as Date: return writer.add(date: date)
        case let data as Data: return writer.add(.data(data))
        case let url as URL: return writer.add(url: url)
        case let uuid as UUID: return writer.add(uuid: uuid)
        case is NSNull: return writer.addNull()
        case let elements as [Any]:
            var references: [KeyedArchiveWriter.Reference] = []
            for element in elements { references.append(try add(element, to: &writer, depth: depth + 1)) }
            return writer.add(array: references)
        case let elements as Set<AnyHashable>:
            var references: [KeyedArchiveWriter.Reference] = []
            // The elements are sorted so that equal sets give equal data.
            for element in elements.sorted(by: { "\($0)" < "\($1)" }) {
                references.append(try add(element.base, to: &writer, depth: depth + 1))
            }
            return writer.add(set: references)
        case let pairs as [AnyHashable: Any]:
            var references: [(key: KeyedArchiveWriter.Reference, value: KeyedArchiveWriter.Reference)] = []
            for (key, value) in pairs.sorted(by: { "\($0.key)" < "\($1.key)" }) {
                references.append(
                    (try add(key.base, to: &writer, depth: depth + 1), try add(value, to: &writer, depth: depth + 1)))
            }
            return writer.add(dictionary: references)
        default:
            throw Refusal(
                description:
                    "a value of the type \(type(of: value)) is none that archives keep; register a transformer of your own"
            )
        }
    }

    // MARK: Reading

    public func value(from data: Data) throws -> Any { try value(of: try KeyedArchive(data).root(), depth: 0) }

    private func value(of object: ArchivedObject?, depth: Int) throws -> Any {
        guard depth <= Self.deepest else {
            throw Refusal(description: "collections lie more than \(Self.deepest) deep in each other")
        }
        guard let object else { return NSNull() }
        try check(object)
        if let text = object.string { return text }
        switch object.number {
        case .integer(let number)?: return Int(number)
        case .unsigned(let number)?: return number
        case .real(let number)?: return number
        case .boolean(let flag)?: return flag
        default: break
        }
        if let decimal = object.decimal { return decimal }
        if let data = object.data { return data }
        if let date = object.date { return date }
        if let url = object.url { return url }
        if let uuid = object.uuid { return uuid }
        if object.isNull { return NSNull() }
        if let entries = try object.entries() {
            var pairs: [AnyHashable: Any] = [:]
            for entry in entries {
                guard let key = try value(of: entry.key, depth: depth + 1) as? AnyHashable else {
                    throw Refusal(description: "a key of a dictionary is no plain value")
                }
                pairs[key] = try value(of: entry.value, depth: depth + 1)
            }
            return pairs
        }
        if let elements = try object.elements() {
            let values = try elements.map { try value(of: $0, depth: depth + 1) }
            guard object.isKind(of: "NSSet") else { return values }
            return Set(
                try values.map { value in
                    guard let element = value as? AnyHashable else {
                        throw Refusal(description: "an element of a set is no plain value")
                    }
                    return element
                })
        }
        throw Refusal(description: "an object of the class \(object.className ?? "?") can't be read")
    }

    private func check(_ object: ArchivedObject) throws {
        let chain = object.classChain
        let name: String
        if chain.isEmpty {
            switch object.raw {
            case .string: name = "NSString"
            case .data: name = "NSData"
            case .date: name = "NSDate"
            case .integer, .unsigned, .real, .boolean: name = "NSNumber"
            case .array, .dictionary, .uid: throw Refusal(description: "the archive holds an object without a class")
            }
            if allowedClassNames.contains(name) { return }
        } else {
            if chain.contains(where: allowedClassNames.contains) { return }
            name = chain[0]
        }
        throw Refusal(
            description:
                "the class \(name) is not among those that are allowed: \(allowedClassNames.sorted().joined(separator: ", "))"
        )
    }
}
