import Folio
import Foundation

/// An assignment operand of `insert` and `set`: `key=value`, `key:=JSON`, `key=@file`,
/// `relationship=Entity/p1`, `relationship+=Entity/p1`.
struct Assignment: Sendable {
    enum Operation: String, Sendable {
        case text = "="
        case json = ":="
        case add = "+="
        case remove = "-="
    }

    let key: String
    let operation: Operation
    let text: String

    /// - Throws: A usage error for an operand without `=`.
    init(_ word: String) throws {
        guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
            throw InterchangeError.usage(
                "\(word) is no assignment", hint: "write key=value, key:=JSON, key=@FILE, or relationship+=Entity/p1")
        }
        var end = equals
        let before = word.index(before: equals)
        switch word[before] {
        case ":": operation = .json
        case "+": operation = .add
        case "-": operation = .remove
        default: operation = .text
        }
        if operation != .text { end = before }
        key = String(word[..<end])
        text = String(word[word.index(after: equals)...])
        guard !key.isEmpty else { throw InterchangeError.usage("\(word) has no key") }
    }
}

extension Assignment {
    /// The assignments of a command line.
    /// - Throws: A usage error, also for a key that is set twice. Several assignments may add
    ///   objects to a to-many relationship or remove them.
    static func list(_ words: some Sequence<String>) throws -> [Assignment] {
        let assignments = try words.map { try Assignment($0) }
        let counts = Dictionary(grouping: assignments, by: \.key)
        for assignment in assignments where assignment.operation == .text || assignment.operation == .json {
            guard let same = counts[assignment.key], same.count > 1 else { continue }
            throw InterchangeError.usage(
                "\(assignment.key) is set twice",
                hint: "leave out all but one of " + same.map(\.word).joined(separator: " "))
        }
        return assignments
    }

    /// The original text, with a long value truncated.
    private var word: String { key + operation.rawValue + (text.count > 40 ? text.prefix(39) + "…" : text) }
}

/// The effect of an assignment on an object of an entity.
enum Edit: Sendable {
    case attribute(String, PropertyValue)
    case toOne(String, ManagedObjectID?)
    /// The members of a to-many relationship, in order.
    case toMany(String, [ManagedObjectID])
    case add(String, [ManagedObjectID])
    case remove(String, [ManagedObjectID])

    /// - Throws: A usage error for an unknown key or a value of the wrong type; errors of reading
    ///   files.
    init(_ assignment: Assignment, entity: EntityDescription, store: StoreIdentity) throws {
        try Self.refusePart(assignment.key, entity: entity, model: store.model)
        let property = try EntityLookup.property(named: assignment.key, of: entity)
        if let attribute = property.attribute {
            self = try .attribute(property.name, Self.value(assignment, for: attribute, in: store.model))
        } else {
            self = try Self.relationship(assignment, property, store: store)
        }
    }

    /// Throws for a part of a composite attribute, such as `position.latitude`.
    private static func refusePart(_ key: String, entity: EntityDescription, model: ManagedObjectModel) throws {
        let names = key.split(separator: ".").map(String.init)
        guard names.count > 1, let attribute = entity.property(named: names[0])?.attribute,
            let composite = model.composite(of: attribute)
        else { return }
        let parts = composite.attributes.map { "\"\($0.name)\": …" }.joined(separator: ", ")
        throw InterchangeError.usage(
            "\(key) is a part of \(attribute.name), which is set as a whole", hint: "\(attribute.name):='{\(parts)}'")
    }

    static func value(
        _ assignment: Assignment, for attribute: AttributeDescription, in model: ManagedObjectModel
    ) throws -> PropertyValue {
        switch assignment.operation {
        case .json: return try ValueParser.value(try json(assignment), for: attribute, in: model)
        case .add, .remove:
            throw InterchangeError.usage(
                "\(attribute.name) is an attribute, and \(assignment.operation.rawValue) is for to-many relationships")
        case .text:
            let isBytes = attribute.type == .binary || attribute.type == .transformable
            guard isBytes, assignment.text.hasPrefix("@") else {
                return try ValueParser.value(assignment.text, for: attribute)
            }
            let path = String(assignment.text.dropFirst())
            if attribute.allowsExternalBinaryDataStorage, let value = try InputValue.plainFile(path) {
                return .large(value)
            }
            return try ValueParser.value(try InputFile.bytes(at: path), for: attribute)
        }
    }

    private static func json(_ assignment: Assignment) throws -> JSONValue {
        do {
            return try JSONReader.value(of: assignment.text)
        } catch let failure as JSONReader.Failure {
            throw InterchangeError.usage(
                "\(assignment.key):= needs JSON: \(failure)",
                hint: "a JSON string has quotes: \(assignment.key):='\"text\"'")
        }
    }

    private static func relationship(_ assignment: Assignment, _ property: PropertyDescription, store: StoreIdentity)
        throws
        -> Edit
    {
        let names: [String]
        switch assignment.operation {
        case .text, .add, .remove: names = assignment.text.split { $0 == "," || $0 == " " }.map(String.init)
        case .json:
            switch try json(assignment) {
            case .null: names = []
            case .string(let name): names = [name]
            case .array(let elements):
                names = try elements.map {
                    guard let name = $0.string else {
                        throw InterchangeError.usage("\(property.name) takes names of objects, not \($0.kind)")
                    }
                    return name
                }
            case let other: throw InterchangeError.usage("\(property.name) takes names of objects, not \(other.kind)")
            }
        }
        let ids = try names.map { try id($0, for: property, store: store) }
        switch (assignment.operation, property.isToMany) {
        case (.add, true): return .add(property.name, ids)
        case (.remove, true): return .remove(property.name, ids)
        case (.add, false), (.remove, false):
            throw InterchangeError.usage("\(property.name) is to-one: write \(property.name)=Entity/p1")
        case (_, true): return .toMany(property.name, ids)
        case (_, false):
            guard ids.count <= 1 else {
                throw InterchangeError.usage("\(property.name) is to-one and takes one object")
            }
            return .toOne(property.name, ids.first)
        }
    }

    private static func id(_ text: String, for property: PropertyDescription, store: StoreIdentity) throws
        -> ManagedObjectID
    {
        let id = try ObjectName.id(text, in: store)
        if let relationship = property.relationship, let destination = store.model.destination(of: relationship),
            !id.entity.isKind(of: destination), !destination.isKind(of: id.entity)
        {
            throw InterchangeError(
                .usage, "wrongType", "\(property.name) takes objects of \(destination.name), not \(text)",
                detail: .object(["key": .string(property.name), "type": .string(destination.name)]))
        }
        return id
    }
}
