package import Foundation

/// Creates an archive in the format of `NSKeyedArchiver`. Objects are numbered in the order in
/// which they are added; the same calls give the same bytes.
///
/// ```swift
/// var writer = KeyedArchiveWriter()
/// let person = writer.reserve()
/// writer.fill(person, class: ["Person", "NSObject"], fields: ["name": writer.add(string: "Ada").value, "self": person.value])
/// let data = writer.finish(root: person)
/// ```
package struct KeyedArchiveWriter {
    /// An object of the archive being built.
    package struct Reference: Hashable, Sendable {
        fileprivate let index: Int

        /// The null reference.
        package static let null = Reference(index: 0)

        /// The reference as a field value.
        package var value: PropertyListValue { .uid(UInt64(index)) }
    }

    private var objects: [PropertyListValue?] = [.string("$null")]
    private var simple: [PropertyListValue: Reference] = [:]
    /// Strings by their bytes. Canonically equivalent strings are equal, but must be read back
    /// unchanged.
    private var strings: [[UInt8]: Reference] = [:]
    private var classes: [[String]: Reference] = [:]

    package init() {}

    /// Reserves an object that others can refer to before it is filled.
    package mutating func reserve() -> Reference {
        objects.append(nil)
        return Reference(index: objects.count - 1)
    }

    /// Fills a reserved object. `class` is the chain of class names, the object's class first.
    package mutating func fill(_ reference: Reference, class chain: [String], fields: [String: PropertyListValue]) {
        precondition(
            reference != .null && objects[reference.index] == nil, "fill(_:class:fields:) fills a reserved place, once")
        var fields = fields
        fields["$class"] = classReference(chain).value
        objects[reference.index] = .dictionary(fields)
    }

    package mutating func add(class chain: [String], fields: [String: PropertyListValue]) -> Reference {
        let place = reserve()
        fill(place, class: chain, fields: fields)
        return place
    }

    /// Writes the archive. All reserved objects must have been filled. (The method is mutating so
    /// that it includes objects that the argument in `finish(root: writer.add(…))` adds.)
    package mutating func finish(root: Reference) -> Data {
        let table = objects.map { object in
            guard let object else { preconditionFailure("fill every place that reserve() gave before finish(root:)") }
            return object
        }
        return PropertyList.encodeBinary([
            "$version": .integer(100_000), "$archiver": "NSKeyedArchiver", "$top": .dictionary(["root": root.value]),
            "$objects": .array(table),
        ])
    }

    private mutating func classReference(_ chain: [String]) -> Reference {
        if let known = classes[chain] { return known }
        precondition(!chain.isEmpty, "an archived object has a class: pass its chain of names")
        objects.append(.dictionary(["$classname": .string(chain[0]), "$classes": .array(chain.map { .string($0) })]))
        let reference = Reference(index: objects.count - 1)
        classes[chain] = reference
        return reference
    }

    // MARK: Values of Foundation

    /// A string, number, boolean or data. Equal values become one object.
    package mutating func add(_ value: PropertyListValue) -> Reference {
        switch value {
        case .array, .dictionary, .uid, .date:
            preconditionFailure(
                "add(_:) takes strings, numbers, booleans and data; the others have methods of their own")
        case .string(let text):
            let bytes = Array(text.utf8)
            if let known = strings[bytes] { return known }
            objects.append(value)
            let reference = Reference(index: objects.count - 1)
            strings[bytes] = reference
            return reference
        // -0.0 equals 0.0 but must be kept. NaN is not equal to itself.
        case .real(let number) where number == 0 || number.isNaN:
            objects.append(value)
            return Reference(index: objects.count - 1)
        default: break
        }
        if let known = simple[value] { return known }
        objects.append(value)
        let reference = Reference(index: objects.count - 1)
        simple[value] = reference
        return reference
    }

    package mutating func add(string: String) -> Reference { add(.string(string)) }

    /// A string, or the null reference for nil.
    package mutating func add(string: String?) -> Reference {
        string.map { add(.string($0)) } ?? .null
    }

    package mutating func add(array elements: [Reference], isMutable: Bool = false) -> Reference {
        add(
            class: (isMutable ? ["NSMutableArray"] : []) + ["NSArray", "NSObject"],
            fields: ["NS.objects": .array(elements.map(\.value))])
    }

    package mutating func add(set elements: [Reference]) -> Reference {
        add(class: ["NSSet", "NSObject"], fields: ["NS.objects": .array(elements.map(\.value))])
    }

    package mutating func add(dictionary pairs: [(key: Reference, value: Reference)], isMutable: Bool = false)
        -> Reference
    {
        add(class: Self.dictionaryClass(isMutable), fields: Self.dictionaryFields(pairs))
    }

    /// Fills a reserved object with a dictionary.
    package mutating func fill(
        _ place: Reference, dictionary pairs: [(key: Reference, value: Reference)], isMutable: Bool = false
    ) {
        fill(place, class: Self.dictionaryClass(isMutable), fields: Self.dictionaryFields(pairs))
    }

    package mutating func add(date: Date) -> Reference {
        add(class: ["NSDate", "NSObject"], fields: ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
    }

    package mutating func add(uuid: UUID) -> Reference {
        add(
            class: ["NSUUID", "NSObject"], fields: ["NS.uuidbytes": .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })])
    }

    package mutating func add(url: URL) -> Reference {
        let text = add(string: url.absoluteString)
        return add(class: ["NSURL", "NSObject"], fields: ["NS.base": Reference.null.value, "NS.relative": text.value])
    }

    package mutating func addNull() -> Reference {
        add(class: ["NSNull", "NSObject"], fields: [:])
    }

    package mutating func add(decimal: Decimal) -> Reference {
        var limbs: [UInt8] = []
        var rest = decimal.isNaN ? 0 : decimal.significand
        while rest > 0 {
            var quotient = rest / 65_536, whole = Decimal()
            NSDecimalRound(&whole, &quotient, 0, .down)
            let limb = UInt16(truncatingIfNeeded: NSDecimalNumber(decimal: rest - whole * 65_536).intValue)
            limbs += [UInt8(truncatingIfNeeded: limb), UInt8(truncatingIfNeeded: limb >> 8)]
            rest = whole
        }
        let length = limbs.count / 2
        limbs += [UInt8](repeating: 0, count: 16 - limbs.count)
        return add(
            class: ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            fields: [
                "NS.exponent": .integer(Int64(length == 0 ? 0 : decimal.exponent)),
                "NS.length": .integer(Int64(length)),
                "NS.negative": .boolean(decimal.isNaN || decimal.isSignMinus), "NS.compact": true,
                "NS.mantissa.bo": 1, "NS.mantissa": .data(Data(limbs)),
            ])
    }

    private static func dictionaryClass(_ isMutable: Bool) -> [String] {
        (isMutable ? ["NSMutableDictionary"] : []) + ["NSDictionary", "NSObject"]
    }

    private static func dictionaryFields(_ pairs: [(key: Reference, value: Reference)]) -> [String: PropertyListValue] {
        ["NS.keys": .array(pairs.map(\.key.value)), "NS.objects": .array(pairs.map(\.value.value))]
    }
}

extension PropertyListValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}
