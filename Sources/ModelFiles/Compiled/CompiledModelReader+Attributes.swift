internal import Coding
internal import Foundation
internal import Schema

extension CompiledModelReader {
    /// The maximum nesting depth of composites.
    private static let maximumDepth = 32

    mutating func attribute(_ object: ArchivedObject, of owner: String, depth: Int = 0) throws -> AttributeDescription {
        let name = try object.string("NSPropertyName") ?? ""
        let code = Int(try object.integer("NSAttributeType") ?? 0)
        let type = AttributeType(rawValue: code) ?? .undefined
        if AttributeType(rawValue: code) == nil { report("the attribute type \(code) is not known", owner, name) }
        var attribute = AttributeDescription(name, type)
        attribute.isOptional = try object.boolean("NSIsOptional")
        attribute.isTransient = try object.boolean("NSIsTransient")
        attribute.isIndexed = try object.boolean("NSIsIndexed")
        attribute.isIndexedBySpotlight = try object.boolean("NSIndexedBySpotlight")
        attribute.allowsCloudEncryption = try object.boolean(ArchiveKeys.allowsCloudEncryption)
        let flags = try object.integer("NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & ArchiveKeys.Flags.externalStorage != 0
        attribute.preservesValueInHistoryOnDeletion = flags & ArchiveKeys.Flags.preservesValue != 0
        attribute.valueTransformerName = try object.string("NSValueTransformerName").flatMap { $0.isEmpty ? nil : $0 }
        let className = try object.string("NSAttributeValueClassName")
        attribute.attributeValueClassName = className == type.valueClassName || className == "" ? nil : className
        if let value = try object.object("NSDefaultValue") {
            attribute.defaultValue = try defaultValue(
                value, type, transformer: attribute.valueTransformerName, owner, name)
        }
        if type != .undefined { try ValidationPredicates.read(object, into: &attribute) }
        let identifier = try object.string("NSRenamingIdentifier")
        attribute.renamingIdentifier = identifier == name || identifier == "" ? nil : identifier
        attribute.versionHashModifier = try object.string("NSVersionHashModifier").flatMap { $0.isEmpty ? nil : $0 }
        attribute.userInfo = try Self.userInfo(object)
        if object.isKind(of: "NSDerivedAttributeDescription") {
            attribute.derivationExpression = try object.string(ArchiveKeys.derivationFormat)
            if attribute.derivationExpression == nil, let expression = try object.object("NSDerivationExpression") {
                attribute.derivationExpression = try PredicateText(isDerivation: true).expression(expression)
            }
            if let filter = try object.object("NSFilteringPredicate") {
                attribute.extraMarkup["filteringPredicate"] = try PredicateText().predicate(filter)
            }
        }
        if type == .composite { try readComposite(object, into: &attribute, of: owner, depth: depth) }
        return attribute
    }

    private mutating func readComposite(
        _ object: ArchivedObject, into attribute: inout AttributeDescription, of owner: String, depth: Int
    ) throws {
        guard depth < Self.maximumDepth else {
            throw CodingError(.tooDeep, "composites lie more than \(Self.maximumDepth) deep in each other")
        }
        if let name = try object.string(ArchiveKeys.compositeName) {
            attribute.compositeName = name
            return
        }
        let name = "\(owner)_\(attribute.name)"
        attribute.compositeName = name
        for key in object.raw.dictionary?.keys.sorted() ?? [] where key != "NSEntity" && object.field(key)?.uid != nil {
            let elements = try object.object(key)?.elements() ?? []
            guard !elements.isEmpty, elements.allSatisfy({ $0?.isKind(of: "NSAttributeDescription") == true }) else {
                continue
            }
            var attributes: [AttributeDescription] = []
            for element in elements {
                if let element { attributes.append(try self.attribute(element, of: name, depth: depth + 1)) }
            }
            foundComposites.append((name, attributes))
            return
        }
    }

    private mutating func defaultValue(
        _ object: ArchivedObject, _ type: AttributeType, transformer: String?, _ owner: String, _ name: String
    ) throws -> PropertyValue? {
        if object.isNull { return nil }
        if let value = try Self.value(object, type) { return value }
        // Values of application classes are ignored, because only the transformer of the
        // application can interpret them.
        guard type != .transformable, type != .composite, type != .undefined, type != .objectID else { return nil }
        warn("the default value is no value of type \(type.name): there is none", owner, name)
        return nil
    }

    /// The archived value converted to an attribute type; nil if that is not possible.
    static func value(_ object: ArchivedObject, _ type: AttributeType) throws -> PropertyValue? {
        if let value = try archivedValue(object, type) { return value }
        // Models of other tools archive the text that the source has, or another kind of number.
        if let text = object.string { return ValueText.value(text, type) }
        return object.decimal.flatMap { ValueText.value("\($0)", type) }
    }

    private static func archivedValue(_ object: ArchivedObject, _ type: AttributeType) throws -> PropertyValue? {
        switch type {
        case .integer16, .integer32, .integer64:
            switch object.number {
            case .integer(let number): return .int(number)
            case .boolean(let flag): return .int(flag ? 1 : 0)
            case .real(let number): return Int64(exactly: number).map { .int($0) }
            default: return object.decimal.flatMap { Int64("\($0)") }.map { .int($0) }
            }
        case .boolean: return object.number?.boolean.map { .bool($0) }
        case .double: return object.number?.real.map { .double($0) }
        case .float: return object.number?.real.map { .float(Float($0)) }
        case .decimal:
            if let decimal = object.decimal { return .decimal(decimal) }
            switch object.number {
            case .integer(let number): return .decimal(Decimal(number))
            case .unsigned(let number): return .decimal(Decimal(number))
            // Converted through the shortest text, which has the digits that the author wrote.
            // `Decimal(number)` would convert the exact binary value.
            case .real(let number): return Decimal(string: "\(number)").map { .decimal($0) }
            default: return nil
            }
        case .date:
            return (object.date ?? object.number?.real.map { Date(timeIntervalSinceReferenceDate: $0) }).map {
                .date($0)
            }
        case .string: return object.string.map { .string($0) }
        case .uuid: return object.uuid.map { .uuid($0) }
        case .uri: return (object.url ?? object.string.flatMap { URL(string: $0) }).map { .uri($0) }
        case .binary: return object.data.map { .data($0) }
        case .transformable: return object.data.map { .data($0) }
        case .undefined, .objectID, .composite: return nil
        }
    }
}

extension AttributeType {
    /// The class name that compiled models record for values of the type; nil if there is none.
    var valueClassName: String? {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .objectID: "NSManagedObjectID"
        case .composite: "NSDictionary"
        case .undefined, .transformable: nil
        }
    }
}
