import Coding
import Foundation
import RowMemory
import Schema
import Storage

/// Reads objects of an XML store that stand there byte by byte as Folio and Core Data write them, which nearly all do: a tenth of what it costs to read them as XML.
///
/// Whatever is written in another way (order, quotes, comments, sections, other entities, values that are none) it does not read: then ``XMLObjectLoader`` reads that object as
/// XML, and says what is wrong with it. So both read the same.
struct XMLPlainObject {
    /// What an object's element says of a property.
    enum Field {
        case int(RowSlot, Int64)
        case bool(RowSlot, Bool)
        case double(RowSlot, Double)
        case uuid(RowSlot, UUID)
        case string(RowSlot, String)
        case value(RowSlot, PropertyValue)
        case reference(RowSlot, destination: Int, Int64)
        case list(relation: Int, [Int64])
    }

    private enum Content {
        case attribute(RowSlot, AttributeDescription)
        case toOne(RowSlot, destination: Int)
        case toMany(relation: Int)
    }

    private struct Element {
        let opening: [UInt8]
        let content: Content
    }

    private struct Elements {
        let entityIndex: Int
        let opening: [UInt8]
        /// In the order in which they are written.
        let elements: [Element]
    }

    private let entities: [Elements]
    /// The place in `entities` of the last object's.
    private var last = 0

    /// What was read last.
    private(set) var entityIndex = 0
    private(set) var number: Int64 = 0
    private(set) var fields: ContiguousArray<Field> = []

    init(_ names: XMLStoreNames) {
        let shape = names.shape
        entities = shape.model.entities.filter { shape.isStored[$0.index] && !$0.isAbstract }.map { entity in
            var attributes: [Element] = [], toOnes: [Element] = [], toManys: [Element] = []
            for property in entity.properties {
                switch names.target(XMLStoreNames.name(of: property), entityIndex: entity.index) {
                case .attribute(let slot, let attribute):
                    let tag = XMLStoreTags.attribute(XMLStoreNames.name(of: property), XMLValueText.typeName(attribute.type))
                    attributes.append(Element(opening: Array(tag.utf8), content: .attribute(slot, attribute)))
                case .toOne(let slot, let destination):
                    toOnes.append(Element(opening: Array(XMLStoreTags.relationship(property, shape.model).utf8), content: .toOne(slot, destination: destination)))
                case .toMany(let relation):
                    toManys.append(Element(opening: Array(XMLStoreTags.relationship(property, shape.model).utf8), content: .toMany(relation: relation)))
                case .leaf, .ignored, nil: break
                }
            }
            return Elements(entityIndex: entity.index, opening: Array(XMLStoreTags.object(entity).utf8), elements: attributes + toOnes + toManys)
        }
    }

    /// Reads the object that stands at a place, but for space.
    /// - Returns: the place behind it; nil where it is not written in the usual way, or there is none.
    mutating func read(_ text: XMLPlainText, at start: Int) -> Int? {
        guard var place = opening(text, text.afterSpace(at: start)), let number = text.digits(at: place), number.number > 0,
            let opened = text.after(Self.objectOpened, at: number.end)
        else { return nil }
        place = opened
        self.number = number.number
        entityIndex = entities[last].entityIndex
        fields.removeAll(keepingCapacity: true)
        let elements = entities[last].elements
        var next = 0
        while true {
            place = text.afterSpace(at: place)
            if let end = text.after(Self.objectClosed, at: place) { return end }
            guard let found = element(of: elements, text, &place, from: next), let end = field(elements[found].content, text, place) else { return nil }
            place = end
            next = found + 1
        }
    }

    /// The place behind the beginning of an object's tag.
    private mutating func opening(_ text: XMLPlainText, _ place: Int) -> Int? {
        guard !entities.isEmpty else { return nil }
        if let end = text.after(entities[last].opening, at: place) { return end }
        for index in entities.indices {
            if let end = text.after(entities[index].opening, at: place) {
                last = index
                return end
            }
        }
        return nil
    }

    /// The element that begins at `place`, which is moved behind what is known of it; those after the last one are tried first.
    private func element(of elements: [Element], _ text: XMLPlainText, _ place: inout Int, from next: Int) -> Int? {
        for index in elements.indices[min(next, elements.count)...] {
            if let end = text.after(elements[index].opening, at: place) {
                place = end
                return index
            }
        }
        for index in 0..<min(next, elements.count) {
            if let end = text.after(elements[index].opening, at: place) {
                place = end
                return index
            }
        }
        return nil
    }

    /// Reads the rest of an element; answers the place behind it.
    private mutating func field(_ content: Content, _ text: XMLPlainText, _ start: Int) -> Int? {
        switch content {
        case .attribute(let slot, let attribute):
            guard text.byte(at: start) == UInt8(ascii: ">"), let end = text.next(UInt8(ascii: "<"), from: start),
                let closed = text.after(Self.attributeClosed, at: end), let field = Self.value(text, start + 1..<end, slot, attribute)
            else { return nil }
            fields.append(field)
            return closed
        case .toOne(let slot, let destination):
            guard let (first, rest, end) = Self.references(text, start), rest.isEmpty else { return nil }
            if let first { fields.append(.reference(slot, destination: destination, first)) }
            return end
        case .toMany(let relation):
            guard let (first, rest, end) = Self.references(text, start) else { return nil }
            if let first { fields.append(.list(relation: relation, [first] + rest)) }
            return end
        }
    }

    private static func references(_ text: XMLPlainText, _ start: Int) -> (first: Int64?, rest: [Int64], end: Int)? {
        if let end = text.after(relationshipClosed, at: start) { return (nil, [], end) }
        guard var place = text.after(referencesOpened, at: start), let first = text.digits(at: place), first.number > 0 else { return nil }
        place = first.end
        var rest: [Int64] = []
        while let next = text.after(referenceFollows, at: place) {
            guard let other = text.digits(at: next), other.number > 0 else { return nil }
            rest.append(other.number)
            place = other.end
        }
        return text.after(referencesClosed, at: place).map { (first.number, rest, $0) }
    }

    private static func value(_ text: XMLPlainText, _ range: Range<Int>, _ slot: RowSlot, _ attribute: AttributeDescription) -> Field? {
        switch slot.kind {
        case .int: if let number = PlainNumber.integer(text.slice(range)) { return .int(slot, number) }
        case .bool where range.count == 1:
            switch text.byte(at: range.lowerBound) {
            case UInt8(ascii: "0"): return .bool(slot, false)
            case UInt8(ascii: "1"): return .bool(slot, true)
            default: break
            }
        case .double, .date: if let number = PlainNumber.double(text.slice(range)) { return .double(slot, number) }
        case .uuid: if let uuid = XMLValueText.uuid(text.slice(range)) { return .uuid(slot, uuid) }
        case .string where attribute.type == .string: return text.characters(range).map { .string(slot, $0) }
        default: break
        }
        return text.characters(range).flatMap { XMLValueText.value($0, attribute) }.map { .value(slot, $0) }
    }

    private static let objectOpened = Array("\">".utf8)
    private static let objectClosed = Array("</object>".utf8)
    private static let attributeClosed = Array("</attribute>".utf8)
    private static let relationshipClosed = Array("></relationship>".utf8)
    private static let referencesOpened = Array(" idrefs=\"z".utf8)
    private static let referenceFollows = Array(" z".utf8)
    private static let referencesClosed = Array("\"></relationship>".utf8)
}
