import Coding
import Foundation
import RowMemory
import Schema
import Storage

/// Reads objects of an XML store that stand there byte by byte as Folio and Core Data write them, which nearly all do: at a fraction of what it costs to read them as XML.
///
/// Whatever is written in another way (order, quotes, comments, sections, other entities, values that are none) it does not read: then ``XMLObjectLoader`` reads that object as
/// XML, and says what is wrong with it. So both read the same.
struct XMLPlainObject {
    /// What an object's element says of a relationship.
    enum Relation {
        case reference(RowSlot, destination: Int, Int64)
        case list(relation: Int, [Int64])
    }

    // What follows is trivial to copy: it is looked at for every value of a file.
    private enum Content {
        /// With the place in `attributes` of what the model says of it.
        case attribute(RowSlot, isText: Bool, Int)
        case toOne(RowSlot, destination: Int)
        case toMany(relation: Int)
    }

    private struct Part {
        /// Where in `openings` the beginning of its tag stands.
        let opening: Range<Int>
        /// The same with the end of line and the space that are mostly before it.
        let line: Range<Int>
        let content: Content

        init(opening: Range<Int>, content: Content) {
            self.opening = opening
            line = opening.lowerBound - XMLPlainObject.indentation.utf8.count..<opening.upperBound
            self.content = content
        }
    }

    private static let indentation = "\n        "

    private struct Outline {
        let entityIndex: Int
        let opening: Range<Int>
        /// In the order in which they are written.
        let parts: Range<Int>
    }

    private var openings: [UInt8] = []
    private var attributes: ContiguousArray<AttributeDescription> = []
    private var parts: ContiguousArray<Part> = []
    private var outlines: ContiguousArray<Outline> = []
    /// The place in `outlines` of the last object's.
    private var last = 0

    /// What was read last.
    private(set) var entityIndex = 0
    private(set) var number: Int64 = 0
    private(set) var relations: ContiguousArray<Relation> = []

    init(_ names: XMLStoreNames) {
        let shape = names.shape
        for entity in shape.model.entities where shape.isStored[entity.index] && !entity.isAbstract {
            let first = parts.count, opening = keep(XMLStoreTags.object(entity))
            var others: [(tag: String, content: Content)] = []
            for property in entity.properties {
                switch names.target(XMLStoreNames.name(of: property), entityIndex: entity.index) {
                case .attribute(let slot, let attribute):
                    let tag = XMLStoreTags.attribute(XMLStoreNames.name(of: property), XMLValueText.typeName(attribute.type))
                    parts.append(Part(opening: keep(tag), content: .attribute(slot, isText: attribute.type == .string, attributes.count)))
                    attributes.append(attribute)
                case .toOne(let slot, let destination): others.append((XMLStoreTags.relationship(property, shape.model), .toOne(slot, destination: destination)))
                case .toMany(let relation): others.append((XMLStoreTags.relationship(property, shape.model), .toMany(relation: relation)))
                case .leaf, .ignored, nil: break
                }
            }
            for (tag, content) in others { parts.append(Part(opening: keep(tag), content: content)) }
            outlines.append(Outline(entityIndex: entity.index, opening: opening, parts: first..<parts.count))
        }
    }

    private mutating func keep(_ opening: String) -> Range<Int> {
        openings.append(contentsOf: Self.indentation.utf8)
        let start = openings.count
        openings.append(contentsOf: opening.utf8)
        return start..<openings.count
    }

    /// Reads the start tag of the object that stands at a place, but for space.
    /// - Returns: the place behind it; nil where it is not written in the usual way, or there is none.
    mutating func readTag(_ text: XMLPlainText, at start: Int) -> Int? {
        guard let place = opening(text, text.afterSpace(at: start)), let number = text.digits(at: place), number.number > 0,
            let opened = text.after("\">", at: number.end)
        else { return nil }
        self.number = number.number
        entityIndex = outlines[last].entityIndex
        return opened
    }

    /// Reads what follows the start tag that was read last: attributes into a row, relationships for those who ask then.
    /// - Returns: the place behind the object; nil where something is not written in the usual way. Then the row is to be given up: it has some of the values.
    mutating func readValues(_ text: XMLPlainText, at start: Int, into row: RowCells) -> Int? {
        if !relations.isEmpty { relations.removeAll(keepingCapacity: true) }
        let known = outlines[last].parts
        var next = known.lowerBound, place = start
        while true {
            // The next one on a line of its own, as it is written where none is left out.
            if next < known.upperBound, let opened = after(parts[next].line, text, place), let end = field(parts[next].content, text, opened, row) {
                place = end
                next += 1
                continue
            }
            place = text.afterSpace(at: place)
            if let end = text.after("</object>", at: place) { return end }
            // Those behind the last one are tried first.
            guard let found = part(among: next..<known.upperBound, text, place) ?? part(among: known.lowerBound..<next, text, place),
                let end = field(parts[found.part].content, text, found.end, row)
            else { return nil }
            place = end
            next = found.part + 1
        }
    }

    /// The place behind the beginning of an object's tag.
    private mutating func opening(_ text: XMLPlainText, _ place: Int) -> Int? {
        guard !outlines.isEmpty else { return nil }
        if let end = after(outlines[last].opening, text, place) { return end }
        for index in outlines.indices {
            if let end = after(outlines[index].opening, text, place) {
                last = index
                return end
            }
        }
        return nil
    }

    private func after(_ opening: Range<Int>, _ text: XMLPlainText, _ place: Int) -> Int? {
        openings.withUnsafeBytes { text.after(UnsafeRawBufferPointer(rebasing: $0[opening]), at: place) }
    }

    /// The part that begins at `place`, and the place behind what is known of it.
    private func part(among candidates: Range<Int>, _ text: XMLPlainText, _ place: Int) -> (part: Int, end: Int)? {
        for index in candidates {
            if let end = after(parts[index].opening, text, place) { return (index, end) }
        }
        return nil
    }

    /// Reads the rest of an element; answers the place behind it.
    @inline(__always) private mutating func field(_ content: Content, _ text: XMLPlainText, _ start: Int, _ row: RowCells) -> Int? {
        switch content {
        case .attribute(let slot, let isText, let attribute):
            guard text.byte(at: start) == UInt8(ascii: ">") else { return nil }
            let place = start + 1
            if let end = plainValue(text, place, slot, row), let closed = text.after("</attribute>", at: end) { return closed }
            guard let end = text.next(UInt8(ascii: "<"), from: place), let closed = text.after("</attribute>", at: end),
                value(text, place..<end, slot, isText, attribute, row)
            else { return nil }
            return closed
        case .toOne(let slot, let destination):
            guard let (first, rest, end) = Self.references(text, start), rest.isEmpty else { return nil }
            if let first { relations.append(.reference(slot, destination: destination, first)) }
            return end
        case .toMany(let relation):
            guard let (first, rest, end) = Self.references(text, start) else { return nil }
            if let first { relations.append(.list(relation: relation, [first] + rest)) }
            return end
        }
    }

    private static func references(_ text: XMLPlainText, _ start: Int) -> (first: Int64?, rest: [Int64], end: Int)? {
        if let end = text.after("></relationship>", at: start) { return (nil, [], end) }
        guard var place = text.after(" idrefs=\"z", at: start), let first = text.digits(at: place), first.number > 0 else { return nil }
        place = first.end
        var rest: [Int64] = []
        while let next = text.after(" z", at: place) {
            guard let other = text.digits(at: next), other.number > 0 else { return nil }
            rest.append(other.number)
            place = other.end
        }
        return text.after("\"></relationship>", at: place).map { (first.number, rest, $0) }
    }

    /// Reads a value whose end it finds itself; answers the place behind it. Where that is not the end of the element the value is another.
    @inline(__always) private func plainValue(_ text: XMLPlainText, _ place: Int, _ slot: RowSlot, _ row: RowCells) -> Int? {
        switch slot.kind {
        case .int:
            guard let (number, end) = text.integer(at: place) else { return nil }
            row.store(number, slot)
            return end
        case .double, .date:
            guard let (number, end) = text.decimal(at: place) else { return nil }
            row.store(number, slot)
            return end
        case .uuid:
            guard let bytes = text.bytes(UUIDText.count, at: place), let uuid = UUIDText.uuid(bytes) else { return nil }
            row.store(uuid, slot)
            return place + UUIDText.count
        default: return nil
        }
    }

    /// Reads a value of known length; false where it is none of the attribute's type, or written in an unusual way.
    private func value(_ text: XMLPlainText, _ range: Range<Int>, _ slot: RowSlot, _ isText: Bool, _ attribute: Int, _ row: RowCells) -> Bool {
        switch slot.kind {
        case .int:
            if let number = PlainNumber.integer(text.slice(range)) {
                row.store(number, slot)
                return true
            }
        case .bool where range.count == 1:
            let byte = text.byte(at: range.lowerBound)
            if byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") {
                row.store(byte == UInt8(ascii: "1"), slot)
                return true
            }
        case .double, .date:
            if let number = PlainNumber.double(text.slice(range)) {
                row.store(number, slot)
                return true
            }
        case .uuid:
            if let uuid = UUIDText.uuid(text.slice(range)) {
                row.store(uuid, slot)
                return true
            }
        case .string where isText:
            guard let characters = text.characters(range) else { return false }
            row.store(characters, slot)
            return true
        default: break
        }
        guard let value = text.characters(range).flatMap({ XMLValueText.value($0, attributes[attribute]) }) else { return false }
        _ = row.setValue(value, slot)
        return true
    }
}
