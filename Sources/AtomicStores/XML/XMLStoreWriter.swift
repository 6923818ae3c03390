import Coding
import Foundation
import RowMemory
import Schema
import Storage

/// Writes a table as an XML store.
struct XMLStoreWriter: ~Copyable {
    private let table: RowTable
    private let shape: TableShape
    private let metadata: StoreMetadata
    private let numbering: XMLStoreNumbering
    /// What has not been given away yet.
    private var output = XMLOutput(capacity: pieceSize + pieceSize / 8)

    /// So much is given away at once: little enough to stay in the processor's cache, and the memory serves for the next piece.
    private static let pieceSize = 1 << 18

    init(_ table: RowTable, _ metadata: StoreMetadata) {
        self.table = table
        shape = table.shape
        numbering = XMLStoreNumbering(table)
        var metadata = metadata
        metadata.values[StoreMetadata.Key.numberOffsets] = numbering.metadata
        self.metadata = metadata
    }

    /// Gives the file to `append`, one piece after the other. Called once.
    /// - Throws: what reading a large value throws; `CodingError.unsupported` for metadata with characters that XML can't hold.
    mutating func write(_ append: (UnsafeRawBufferPointer) throws -> Void) throws {
        output.put(XMLStoreFormat.prolog)
        output.put("<database>\n    <databaseInfo>\n        <version>\(XMLStoreFormat.version)</version>\n")
        output.put("        <UUID>\(metadata.uuid)</UUID>\n        <nextObjectID>\(numbering.next)</nextObjectID>\n")
        output.put("        <metadata>\n            <plist version=\"1.0\">\n" as StaticString)
        var list = ""
        try XMLPropertyListWriter.append(.dictionary(metadata.values), indent: String(repeating: " ", count: 16), .store, to: &list)
        output.put(list)
        output.put("            </plist>\n        </metadata>\n    </databaseInfo>\n" as StaticString)
        let writers = shape.model.entities.map { EntityWriter($0, shape) }
        let (table, numbering) = (table, numbering)
        try numbering.forEachRowInOrder(of: table) { row in
            try add(row, writers[row.entityIndex])
            guard output.count >= Self.pieceSize else { return }
            try append(output.bytes)
            output.removeAll()
        }
        output.put("</database>\n" as StaticString)
        try append(output.bytes)
    }

    // MARK: Objects

    /// What of an entity's objects is written, with everything that does not change from one to the next.
    private final class EntityWriter {
        /// The beginnings of tags, one behind the other.
        let openings: [UInt8]
        /// Where that of an object stands, up to its number.
        let opening: Range<Int>
        let attributes: [AttributeWriter]
        let composites: [(slot: RowSlot, leaves: [(path: [String], opening: Range<Int>)])]
        let toOnes: [(slot: RowSlot, opening: Range<Int>)]
        let toManys: [(relation: Int, opening: Range<Int>)]

        init(_ entity: Entity, _ shape: TableShape) {
            func slot(_ property: Property) -> RowSlot { shape.layouts[entity.index].slots[property.index] }
            let stored = entity.properties.filter(\.isStoredInRow)
            var openings: [UInt8] = []
            func keep(_ opening: String) -> Range<Int> {
                openings += opening.utf8
                return openings.count - opening.utf8.count..<openings.count
            }
            func keep(_ name: String, _ type: String) -> Range<Int> { keep("        \(XMLStoreTags.attribute(name, type))>") }
            func keep(_ property: Property) -> Range<Int> { keep("        \(XMLStoreTags.relationship(property, shape.model))") }
            opening = keep("    \(XMLStoreTags.object(entity))")
            attributes = stored.compactMap { property in
                guard let attribute = property.attribute, attribute.type != .composite else { return nil }
                let name = XMLStoreNames.name(of: property)
                return AttributeWriter(
                    slot: slot(property), isText: attribute.type == .string || attribute.type == .uri,
                    opening: keep(name, XMLValueText.typeName(attribute.type)), missingOpening: keep(name, XMLStoreFormat.ValueType.missing))
            }
            composites = stored.compactMap { property in
                guard let attribute = property.attribute, attribute.type == .composite else { return nil }
                let leaves = XMLStoreNames.leaves(of: attribute, in: shape.model).map { ($0.path, keep($0.name, XMLValueText.typeName($0.attribute.type))) }
                return (slot(property), leaves)
            }
            toOnes = stored.compactMap { property in property.relationship.map { _ in (slot(property), keep(property)) } }
            toManys = entity.properties.compactMap { property in
                guard let relation = shape.relation(entityIndex: entity.index, propertyIndex: property.index) else { return nil }
                return (relation, keep(property))
            }
            // Looked at, though not written.
            self.openings = openings + [UInt8](repeating: 0, count: XMLOutput.step)
        }
    }

    /// Trivial to copy: it is looked at for every value of a store.
    private struct AttributeWriter {
        let slot: RowSlot
        let isText: Bool
        /// Where in the entity's `openings` the beginning of the element stands.
        let opening: Range<Int>
        /// For a value of which nothing but the name of its file is left.
        let missingOpening: Range<Int>
    }

    private mutating func add(_ row: Row, _ writer: EntityWriter) throws {
        output.put(writer.opening, of: writer.openings)
        output.put(numbering.number(row.key, entityIndex: row.entityIndex))
        output.put("\">\n" as StaticString)
        for attribute in writer.attributes where row.hasValue(attribute.slot) { try add(attribute, writer.openings, of: row) }
        for (slot, leaves) in writer.composites {
            guard let value = row.boxed(slot)?.value else { continue }
            for (path, opening) in leaves {
                let leaf = value.part(at: path)
                var isText = false
                switch leaf {
                case .string, .uri: isText = true
                default: break
                }
                add(opening, of: writer.openings, try XMLValueText.text(leaf), isText: isText)
            }
        }
        for (slot, opening) in writer.toOnes { add(opening, of: writer.openings, row.reference(slot).map { [$0] } ?? []) }
        for (relation, opening) in writer.toManys { add(opening, of: writer.openings, table.members(of: row.key, relation)) }
        output.put("    </object>\n" as StaticString)
    }

    private static let closing: StaticString = "</attribute>\n"

    private mutating func add(_ attribute: AttributeWriter, _ openings: [UInt8], of row: Row) throws {
        let slot = attribute.slot
        switch slot.kind {
        case .int:
            output.put(attribute.opening, of: openings)
            output.put(row.int(slot) ?? 0)
        case .bool:
            output.put(attribute.opening, of: openings)
            output.put(UInt8(ascii: row.bool(slot) == true ? "1" : "0"))
        case .date:
            output.put(attribute.opening, of: openings)
            output.put(date: row.double(slot) ?? 0)
        case .double:
            output.put(attribute.opening, of: openings)
            output.put(row.double(slot) ?? 0)
        case .uuid:
            guard let uuid = row.uuid(slot) else { return }
            output.put(attribute.opening, of: openings)
            output.put(uuid)
        case .string: return add(attribute.opening, of: openings, row.string(slot) ?? "", isText: attribute.isText)
        case .large where row.large(slot)?.fileName != nil:
            output.put(attribute.missingOpening, of: openings)
            output.put(try XMLTree.escape(row.large(slot)?.fileName ?? ""))
        default: return add(attribute.opening, of: openings, try XMLValueText.text(row.value(slot)), isText: attribute.isText)
        }
        output.put(Self.closing)
    }

    private mutating func add(_ opening: Range<Int>, of openings: [UInt8], _ text: String?, isText: Bool) {
        guard var text else { return }
        output.put(opening, of: openings)
        if !output.putPlain(&text) {
            if !isText {
                output.put(text)
            } else if let escaped = try? XMLTree.escape(text) {
                output.put(escaped)
            } else {
                output.removeLast()
                output.put(" \(XMLStoreFormat.ValueType.encoding)=\"\(XMLStoreFormat.ValueType.base64)\">\(Data(text.utf8).base64EncodedString())")
            }
        }
        output.put(Self.closing)
    }

    private mutating func add(_ opening: Range<Int>, of openings: [UInt8], _ members: [ObjectReference]) {
        output.put(opening, of: openings)
        if !members.isEmpty {
            output.put(" idrefs=\"" as StaticString)
            for (index, member) in members.enumerated() {
                if index > 0 { output.put(UInt8(ascii: " ")) }
                output.put(UInt8(ascii: "z"))
                output.put(numbering.number(member.key, entityIndex: member.entityIndex))
            }
            output.put(UInt8(ascii: "\""))
        }
        output.put("></relationship>\n" as StaticString)
    }
}
