internal import Coding
internal import Foundation

/// Archives Foundation's values and objects that encode themselves. What it can't archive is an
/// error, where Foundation's archiver ends the process.
final class ObjectEncoder: NSCoder {
    private typealias Reference = KeyedArchiveWriter.Reference

    private let classes: ArchivedClasses
    private var writer = KeyedArchiveWriter()
    /// The fields of the objects that encode themselves, the innermost last.
    private var fields: [[String: PropertyListValue]] = []
    private var references: [ObjectIdentifier: Reference] = [:]
    /// The objects that have references, so that their addresses stay distinct.
    private var objects: [AnyObject] = []
    private var failure: (any Error)?

    init(_ classes: ArchivedClasses) { self.classes = classes }

    func data(of value: Any) throws -> Data {
        let root = try add(value, depth: 0)
        if let failure { throw failure }
        return writer.finish(root: root)
    }

    // MARK: Values

    private func add(_ value: Any, depth: Int) throws -> Reference {
        guard depth <= SecureArchiveTransformer.deepest else { throw SecureArchiveTransformer.tooDeep }
        switch value {
        case let text as String: return writer.add(string: text)
        case let flag as Bool: return writer.add(.boolean(flag))
        case let number as any BinaryInteger:
            guard let number = Int64(exactly: number) else {
                throw SecureArchiveTransformer.Refusal(description: "\(number) is too great")
            }
            return writer.add(.integer(number))
        case let number as Double: return writer.add(.real(number))
        case let number as Float: return writer.add(.real(Double(number)))
        case let number as Decimal: return writer.add(decimal: number)
        case let date as Date: return writer.add(date: date)
        case let data as Data: return writer.add(.data(data))
        case let url as URL: return writer.add(url: url)
        case let uuid as UUID: return writer.add(uuid: uuid)
        case is NSNull: return writer.addNull()
        case let elements as [Any]: return writer.add(array: try elements.map { try add($0, depth: depth + 1) })
        case let elements as Set<AnyHashable>:
            // The elements are sorted so that equal sets give equal data.
            return writer.add(
                set: try elements.sorted(by: { "\($0)" < "\($1)" }).map { try add($0.base, depth: depth + 1) })
        case let pairs as [AnyHashable: Any]:
            return writer.add(
                dictionary: try pairs.sorted(by: { "\($0.key)" < "\($1.key)" }).map {
                    (try add($0.key.base, depth: depth + 1), try add($0.value, depth: depth + 1))
                })
        default: return try add(object: value)
        }
    }

    private func add(object value: Any) throws -> Reference {
        guard let object = value as? any NSObject & NSSecureCoding, isAllowed(type(of: object)) else {
            throw SecureArchiveTransformer.Refusal(
                description:
                    "a value of the type \(type(of: value)) is none that archives keep; register a transformer of your own"
            )
        }
        if let known = references[ObjectIdentifier(object)] { return known }
        let place = writer.reserve()
        references[ObjectIdentifier(object)] = place
        objects.append(object)
        fields.append([:])
        guard fields.count <= SecureArchiveTransformer.deepest else { throw SecureArchiveTransformer.tooDeep }
        object.encode(with: self)
        writer.fill(
            place, class: ArchivedClasses.chain(object.classForKeyedArchiver ?? type(of: object)),
            fields: fields.removeLast())
        return place
    }

    /// What an object encodes of itself is of its choice.
    private func isAllowed(_ type: ArchivedClass) -> Bool {
        fields.isEmpty ? classes.allows(type) : ArchivedClasses.secure.allows(type)
    }

    private func set(_ value: PropertyListValue, _ key: String) {
        guard !fields.isEmpty else { return }
        fields[fields.count - 1][key] = value
    }

    private func refuse(_ what: String) {
        failure = failure ?? SecureArchiveTransformer.Refusal(description: what)
    }

    // MARK: What objects call

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }

    override func encode(_ object: Any?, forKey key: String) {
        guard failure == nil else { return }
        do { set(try object.map { try add($0, depth: fields.count) }?.value ?? Reference.null.value, key) } catch {
            failure = error
        }
    }

    override func encodeConditionalObject(_ object: Any?, forKey key: String) { encode(object, forKey: key) }
    override func encode(_ value: Bool, forKey key: String) { set(.boolean(value), key) }
    override func encode(_ value: Int, forKey key: String) { set(.integer(Int64(value)), key) }
    override func encode(_ value: Int32, forKey key: String) { set(.integer(Int64(value)), key) }
    override func encode(_ value: Int64, forKey key: String) { set(.integer(value), key) }
    override func encode(_ value: Float, forKey key: String) { set(.real(Double(value)), key) }
    override func encode(_ value: Double, forKey key: String) { set(.real(value), key) }

    override func encodeBytes(_ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String) {
        set(.data(bytes.map { Data(bytes: $0, count: length) } ?? Data()), key)
    }

    // Without keys there is nothing that a later version of a class could find.
    override func encode(_ object: Any?) { refuse("a value was encoded without a key") }
    override func encode(_ data: Data) { refuse("a value was encoded without a key") }
    override func encodeValue(ofObjCType type: UnsafePointer<Int8>, at address: UnsafeRawPointer) {
        refuse("a value was encoded without a key")
    }
}
