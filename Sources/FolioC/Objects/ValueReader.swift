internal import CFolio
internal import Folio
internal import Foundation
internal import Interchange

/// Reads several properties of objects. A key may be a path through to-one relationships.
///
/// Made and used inside the document's monitor, for one call.
struct ValueReader {
    /// A key: the names along the path.
    private struct Key {
        let steps: [(start: UnsafePointer<CChar>, length: Int)]
    }

    private let content: DocumentContent
    private let keys: [Key]
    /// The positions of keys that are paths.
    private let paths: [Int]
    /// The indexes of the properties of an entity that the keys name; −1 for paths, and for what
    /// the entity lacks.
    private var indexes: [Int]
    /// The positions of keys that the entity lacks.
    private var missing: [Int] = []
    /// The position of that entity, which was met last.
    private var entityIndex = -1

    /// - Throws: a usage error for NULL.
    init(_ names: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, of content: DocumentContent) throws {
        guard count >= 0, names != nil || count == 0 else { throw InterchangeError.usage("the keys are NULL") }
        self.content = content
        keys = try UnsafeBufferPointer(start: names, count: count).map { name in
            guard let name else { throw InterchangeError.usage("a key is NULL") }
            return Key(steps: Self.steps(name))
        }
        paths = keys.indices.filter { [keys] in keys[$0].steps.count > 1 }
        indexes = Array(repeating: -1, count: count)
    }

    private static func steps(_ name: UnsafePointer<CChar>) -> [(start: UnsafePointer<CChar>, length: Int)] {
        var steps: [(start: UnsafePointer<CChar>, length: Int)] = []
        var start = name, end = name
        while true {
            if end.pointee == 0 || end.pointee == CChar(UInt8(ascii: ".")) {
                steps.append((start, end - start))
                if end.pointee == 0 { return steps }
                start = end + 1
            }
            end += 1
        }
    }

    // MARK: Checking

    /// Checks that an entity, or one of its sub-entities, has what the keys name.
    /// - Throws: usage errors.
    func check(_ entity: EntityDescription) throws {
        for key in keys { try check(key.steps[...], of: entity) }
    }

    private func check(_ steps: ArraySlice<(start: UnsafePointer<CChar>, length: Int)>, of entity: EntityDescription)
        throws
    {
        guard let step = steps.first else { return }
        let entities = try content.opened.model.entities
        // What sub-entities have stands in their objects.
        let found = entity.family.lazy.compactMap { index -> PropertyDescription? in
            content.keyTable(entities[index]).index(step.start, step.length).map { entities[index].properties[$0] }
        }.first
        guard let found else { throw GraphError.unknownKey(try Self.text(step), of: entity) }
        guard steps.count > 1 else { return }
        guard let relationship = found.relationship, !relationship.isToMany else {
            throw InterchangeError.usage("\(entity.name).\(found.name) is no to-one relationship")
        }
        try check(steps.dropFirst(), of: entities[found.destinationIndex])
    }

    private static func text(_ step: (start: UnsafePointer<CChar>, length: Int)) throws -> String {
        let bytes = UnsafeRawBufferPointer(start: step.start, count: step.length)
        guard let text = String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self) else {
            throw InterchangeError.usage("the key is no UTF-8 text: \(String(decoding: bytes, as: UTF8.self))")
        }
        return text
    }

    // MARK: Reading

    /// Reads the values of an object, which stay until the buffer is reset. What the object lacks
    /// is `FOLIO_NULL`.
    mutating func read(_ object: ManagedObject, to values: UnsafeMutablePointer<folio_value>, _ buffer: ValueBuffer)
        throws
    {
        guard let known = PropertyAccess(object).entityIndex else {
            for index in keys.indices { values[index] = folio_value() }
            return
        }
        if known != entityIndex, let entity = PropertyAccess(object).entity { meet(entity) }
        try PropertyAccess(object).readProperties(
            at: indexes, attributes: { buffer.write($1, $2, to: values + $0) },
            relationships: { buffer.write($1, to: values + $0) })
        for number in missing { values[number] = folio_value() }
        for number in paths { buffer.write(try value(keys[number].steps, from: object), to: values + number) }
    }

    private mutating func meet(_ entity: EntityDescription) {
        let table = content.keyTable(entity)
        missing = []
        for (number, key) in keys.enumerated() where key.steps.count == 1 {
            indexes[number] = table.index(key.steps[0].start, key.steps[0].length) ?? -1
            if indexes[number] < 0 { missing.append(number) }
        }
        entityIndex = entity.index
    }

    private func value(_ steps: [(start: UnsafePointer<CChar>, length: Int)], from object: ManagedObject) throws
        -> PropertyValue
    {
        var object = object
        for (number, step) in steps.enumerated() {
            guard let entity = PropertyAccess(object).entity,
                let index = content.keyTable(entity).index(step.start, step.length)
            else { return .null }
            if number == steps.count - 1 { return try PropertyAccess(object).value(at: index) }
            guard let target = try PropertyAccess(object).relatedObject(at: index) else { return .null }
            object = target
        }
        return .null
    }
}
