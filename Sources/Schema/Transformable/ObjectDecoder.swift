internal import Coding
internal import Foundation

/// Reads an archive of Foundation's values and of objects of allowed classes, which decode
/// themselves. Foundation's unarchiver ends the process for archives that are not as it expects;
/// here they are errors.
final class ObjectDecoder: NSCoder {
    private typealias Refusal = SecureArchiveTransformer.Refusal

    private let archive: KeyedArchive
    /// The names of Foundation's classes that may be there outside of objects.
    private let names: Set<String>
    private let classes: ArchivedClasses
    /// The objects that decode themselves, the innermost last.
    private var current: [ArchivedObject] = []
    private var made: [Int: Any] = [:]
    private var underWay: Set<Int> = []
    private var failure: (any Error)?

    init(_ data: Data, names: Set<String>, _ classes: ArchivedClasses) throws {
        archive = try KeyedArchive(data)
        (self.names, self.classes) = (names, classes)
    }

    func root() throws -> Any {
        let value = try value(of: try archive.root(), depth: 0, requested: nil)
        if let failure { throw failure }
        return value
    }

    // MARK: Values

    /// - Parameter requested: The classes that an object asks for; nil for any that is allowed.
    private func value(of object: ArchivedObject?, depth: Int, requested: [AnyClass]?) throws -> Any {
        guard depth <= SecureArchiveTransformer.deepest else { throw SecureArchiveTransformer.tooDeep }
        guard let object else { return NSNull() }
        let chain = try Self.chain(of: object)
        guard chain.contains(where: SecureArchiveTransformer.standardClassNames.contains) else {
            return try instance(of: object, chain, requested ?? [])
        }
        guard isAllowed(chain, requested) else { throw refusal(chain, requested) }
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
        return try collection(object, depth: depth, requested)
    }

    private func collection(_ object: ArchivedObject, depth: Int, _ requested: [AnyClass]?) throws -> Any {
        if let entries = try object.entries() {
            var pairs: [AnyHashable: Any] = [:]
            for entry in entries {
                guard let key = try value(of: entry.key, depth: depth + 1, requested: requested) as? AnyHashable else {
                    throw Refusal(description: "a key of a dictionary is no plain value")
                }
                pairs[key] = try value(of: entry.value, depth: depth + 1, requested: requested)
            }
            return pairs
        }
        if let elements = try object.elements() {
            let values = try elements.map { try value(of: $0, depth: depth + 1, requested: requested) }
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

    /// The names of the object's classes; of a simple value, the one that it stands for.
    private static func chain(of object: ArchivedObject) throws -> [String] {
        let chain = object.classChain
        if !chain.isEmpty { return chain }
        switch object.raw {
        case .string: return ["NSString"]
        case .data: return ["NSData"]
        case .date: return ["NSDate"]
        case .integer, .unsigned, .real, .boolean: return ["NSNumber"]
        case .array, .dictionary, .uid:
            throw Refusal(description: "the archive holds an object without a class")
        }
    }

    private func isAllowed(_ chain: [String], _ requested: [AnyClass]?) -> Bool {
        if let requested {
            return requested.contains { type in
                let name = ArchivedClasses.name(type).replacingOccurrences(of: "NSMutable", with: "NS")
                return name == "NSObject" || chain.contains(name)
            }
        }
        return !current.isEmpty || chain.contains(where: names.contains)
    }

    private func refusal(_ chain: [String], _ requested: [AnyClass]?) -> Refusal {
        let allowed = requested.map { $0.map { ArchivedClasses.name($0) } } ?? Array(names)
        return Refusal(
            description:
                "the class \(chain.first ?? "?") is not among those that are allowed: \(allowed.sorted().joined(separator: ", "))"
        )
    }

    // MARK: Objects

    private func instance(of object: ArchivedObject, _ chain: [String], _ requested: [AnyClass]) throws -> Any {
        if let known = made[object.index] { return known }
        guard let type = classes.type(named: chain.first ?? "", requested: requested) else {
            throw refusal(chain, requested.isEmpty ? nil : requested)
        }
        guard underWay.insert(object.index).inserted else {
            throw Refusal(description: "an object of the class \(chain.first ?? "?") is a part of itself")
        }
        current.append(object)
        guard current.count <= SecureArchiveTransformer.deepest else { throw SecureArchiveTransformer.tooDeep }
        let instance = type.init(coder: self)
        current.removeLast()
        underWay.remove(object.index)
        if let failure { throw failure }
        guard let instance else {
            throw Refusal(description: "\(ArchivedClasses.name(type)) makes no object of what the archive has")
        }
        made[object.index] = instance
        return instance
    }

    private func object(_ key: String, _ requested: [AnyClass]?) -> Any? {
        guard failure == nil, let owner = current.last else { return nil }
        do {
            guard let object = try owner.object(key) else { return nil }
            return try value(of: object, depth: current.count, requested: requested)
        } catch {
            failure = error
            return nil
        }
    }

    private func number(_ key: String) -> PropertyListValue? {
        guard let field = current.last?.field(key) else { return nil }
        return field.uid == nil ? field : (try? current.last?.object(key))?.number
    }

    private func integer(_ key: String) -> Int64 {
        number(key).flatMap { $0.integer ?? $0.boolean.map { $0 ? 1 : 0 } ?? $0.real.flatMap { Int64(exactly: $0) } }
            ?? 0
    }

    private func real(_ key: String) -> Double {
        number(key).flatMap { $0.real ?? $0.integer.map { Double($0) } } ?? 0
    }

    /// The value as an object of Foundation's classes.
    private static func bridged(_ value: Any) -> AnyObject {
        switch value {
        case let text as String: NSString(string: text)
        case let flag as Bool: NSNumber(value: flag)
        case let number as Int: NSNumber(value: number)
        case let number as UInt64: NSNumber(value: number)
        case let number as Double: NSNumber(value: number)
        case let number as Decimal: NSDecimalNumber(decimal: number)
        case let data as Data: NSData(data: data)
        case let date as Date: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let url as URL: url as NSURL
        case let uuid as UUID: uuid as NSUUID
        case let elements as [Any]: NSMutableArray(array: elements)
        case let pairs as [AnyHashable: Any]: NSMutableDictionary(dictionary: pairs)
        case let elements as Set<AnyHashable>: NSMutableSet(set: elements)
        default: value as AnyObject
        }
    }

    // MARK: What objects call

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
    override var error: (any Error)? { failure }
    override func failWithError(_ error: any Error) { failure = failure ?? error }
    override func containsValue(forKey key: String) -> Bool { current.last?.has(key) ?? false }
    override func decodeObject(forKey key: String) -> Any? { object(key, nil) }

    override func decodeObject<Decoded: NSObject & NSCoding>(of type: Decoded.Type, forKey key: String) -> Decoded? {
        object(key, [type]).map { Self.bridged($0) } as? Decoded
    }

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? { object(key, classes) }
    override func decodePropertyList(forKey key: String) -> Any? { object(key, nil) }
    override func decodeBool(forKey key: String) -> Bool { integer(key) != 0 }
    override func decodeInteger(forKey key: String) -> Int { Int(integer(key)) }
    override func decodeCInt(forKey key: String) -> Int32 { Int32(clamping: integer(key)) }
    override func decodeInt32(forKey key: String) -> Int32 { Int32(clamping: integer(key)) }
    override func decodeInt64(forKey key: String) -> Int64 { integer(key) }
    override func decodeFloat(forKey key: String) -> Float { Float(real(key)) }
    override func decodeDouble(forKey key: String) -> Double { real(key) }

    override func withDecodedUnsafeBufferPointer<Result>(
        forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
        guard let data = current.last?.field(key)?.data ?? (try? current.last?.object(key))?.data else {
            return try body(nil)
        }
        return try [UInt8](data).withUnsafeBufferPointer(body)
    }

    override func decodeObject() -> Any? {
        failure = failure ?? Refusal(description: "a value was decoded without a key")
        return nil
    }
}
