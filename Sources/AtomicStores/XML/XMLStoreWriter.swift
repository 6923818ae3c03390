import Coding
import Foundation
import RowMemory
import Schema
import Storage

/// Writes a table as an XML store.
struct XMLStoreWriter {
    private let table: RowTable
    private let shape: TableShape
    private let metadata: StoreMetadata
    private let numbering: XMLStoreNumbering
    /// What has not been given away yet.
    private var output: [UInt8] = []

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

    /// Gives the file to `append`, one piece after the other.
    /// - Throws: what reading a large value throws; `CodingError.unsupported` for metadata with characters that XML can't hold.
    func write(_ append: ([UInt8]) throws -> Void) throws {
        var copy = self
        copy.output.reserveCapacity(Self.pieceSize + Self.pieceSize / 8)
        try copy.writeAll(append)
        try append(copy.output)
    }

    private mutating func writeAll(_ append: ([UInt8]) throws -> Void) throws {
        add(XMLStoreFormat.prolog)
        add("<database>\n    <databaseInfo>\n        <version>\(XMLStoreFormat.version)</version>\n")
        add("        <UUID>\(metadata.uuid)</UUID>\n        <nextObjectID>\(numbering.next)</nextObjectID>\n")
        add("        <metadata>\n            <plist version=\"1.0\">\n")
        var list = ""
        try XMLPropertyListWriter.append(.dictionary(metadata.values), indent: String(repeating: " ", count: 16), .store, to: &list)
        add(list)
        add("            </plist>\n        </metadata>\n    </databaseInfo>\n")
        let writers = shape.model.entities.map { EntityWriter($0, shape) }
        let (table, numbering) = (table, numbering)
        try numbering.forEachRowInOrder(of: table) { row in
            try add(row, writers[row.entityIndex])
            guard output.count >= Self.pieceSize else { return }
            try append(output)
            output.removeAll(keepingCapacity: true)
        }
        add("</database>\n")
    }

    // MARK: Objects

    /// What of an entity's objects is written, with everything that does not change from one to the next.
    private final class EntityWriter {
        /// Up to the number of the object.
        let opening: [UInt8]
        let openings: [UInt8]
        let attributes: [AttributeWriter]
        let composites: [(slot: RowSlot, leaves: [(path: [String], opening: [UInt8])])]
        let toOnes: [(slot: RowSlot, opening: [UInt8])]
        let toManys: [(relation: Int, opening: [UInt8])]

        init(_ entity: Entity, _ shape: TableShape) {
            opening = Array("    \(XMLStoreTags.object(entity))".utf8)
            func slot(_ property: Property) -> RowSlot { shape.layouts[entity.index].slots[property.index] }
            let stored = entity.properties.filter(\.isStoredInRow)
            var openings: [UInt8] = []
            func keep(_ opening: [UInt8]) -> Range<Int> {
                openings += opening
                return openings.count - opening.count..<openings.count
            }
            attributes = stored.compactMap { property in
                guard let attribute = property.attribute, attribute.type != .composite else { return nil }
                let name = XMLStoreNames.name(of: property)
                return AttributeWriter(
                    slot: slot(property), isText: attribute.type == .string || attribute.type == .uri,
                    opening: keep(Self.opening(name, XMLValueText.typeName(attribute.type))), missingOpening: keep(Self.opening(name, XMLStoreFormat.ValueType.missing)))
            }
            self.openings = openings
            composites = stored.compactMap { property in
                guard let attribute = property.attribute, attribute.type == .composite else { return nil }
                let leaves = XMLStoreNames.leaves(of: attribute, in: shape.model).map { ($0.path, Self.opening($0.name, XMLValueText.typeName($0.attribute.type))) }
                return (slot(property), leaves)
            }
            toOnes = stored.compactMap { property in property.relationship.map { _ in (slot(property), Self.opening(of: property, shape.model)) } }
            toManys = entity.properties.compactMap { property in
                guard let relation = shape.relation(entityIndex: entity.index, propertyIndex: property.index) else { return nil }
                return (relation, Self.opening(of: property, shape.model))
            }
        }

        private static func opening(_ name: String, _ type: String) -> [UInt8] { Array("        \(XMLStoreTags.attribute(name, type))".utf8) }

        private static func opening(of property: Property, _ model: ManagedObjectModel) -> [UInt8] {
            Array("        \(XMLStoreTags.relationship(property, model))".utf8)
        }
    }

    /// Trivial to copy: it is looked at for every value of a store.
    private struct AttributeWriter {
        let slot: RowSlot
        let isText: Bool
        /// Where in the entity's `openings` the beginning of the tag stands.
        let opening: Range<Int>
        /// For a value of which nothing but the name of its file is left.
        let missingOpening: Range<Int>
    }

    private mutating func add(_ row: Row, _ writer: EntityWriter) throws {
        output += writer.opening
        XMLValueText.append(numbering.number(row.key, entityIndex: row.entityIndex), to: &output)
        add("\">\n")
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
                add(opening, try XMLValueText.text(leaf), isText: isText)
            }
        }
        for (slot, opening) in writer.toOnes { add(opening, row.reference(slot).map { [$0] } ?? []) }
        for (relation, opening) in writer.toManys { add(opening, table.members(of: row.key, relation)) }
        add("    </object>\n")
    }

    private static let closing: StaticString = "</attribute>\n"

    private mutating func add(_ attribute: AttributeWriter, _ openings: [UInt8], of row: Row) throws {
        let slot = attribute.slot
        func open(_ output: inout [UInt8]) {
            openings.withUnsafeBufferPointer { output.append(contentsOf: UnsafeBufferPointer(rebasing: $0[attribute.opening])) }
            output.append(UInt8(ascii: ">"))
        }
        switch slot.kind {
        case .int:
            open(&output)
            XMLValueText.append(row.int(slot) ?? 0, to: &output)
        case .bool:
            open(&output)
            output.append(UInt8(ascii: row.bool(slot) == true ? "1" : "0"))
        case .date:
            open(&output)
            XMLValueText.append(date: row.double(slot) ?? 0, to: &output)
        case .double:
            open(&output)
            add((row.double(slot) ?? 0).description)
        case .string:
            var text = row.string(slot) ?? ""
            guard Self.isPlain(&text) else { return add(openings[attribute.opening], text, isText: attribute.isText) }
            open(&output)
            add(text)
        case .uuid:
            guard let uuid = row.uuid(slot) else { return }
            open(&output)
            UUIDText.append(uuid, to: &output)
        case .large where row.large(slot)?.fileName != nil:
            output += openings[attribute.missingOpening]
            add(">\(try XMLTree.escape(row.large(slot)?.fileName ?? ""))")
        default: return add(openings[attribute.opening], try XMLValueText.text(row.value(slot)), isText: attribute.isText)
        }
        add(Self.closing)
    }

    private mutating func add(_ opening: some Collection<UInt8>, _ text: String?, isText: Bool) {
        guard var text else { return }
        output += opening
        if isText, !Self.isPlain(&text) {
            if let escaped = try? XMLTree.escape(text) {
                add(">\(escaped)")
            } else {
                add(" \(XMLStoreFormat.ValueType.encoding)=\"\(XMLStoreFormat.ValueType.base64)\">\(Data(text.utf8).base64EncodedString())")
            }
        } else {
            output.append(UInt8(ascii: ">"))
            add(text)
        }
        add(Self.closing)
    }

    /// Whether every character of a text stands for itself, as far as bytes tell it.
    private static func isPlain(_ text: inout String) -> Bool {
        text.withUTF8 { bytes in
            bytes.allSatisfy { byte in byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "<") && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "&") }
        }
    }

    private mutating func add(_ opening: [UInt8], _ members: [ObjectReference]) {
        output += opening
        if !members.isEmpty {
            add(" idrefs=\"")
            for (index, member) in members.enumerated() {
                add(index == 0 ? "z" : " z")
                XMLValueText.append(numbering.number(member.key, entityIndex: member.entityIndex), to: &output)
            }
            add("\"")
        }
        add("></relationship>\n")
    }

    private mutating func add(_ text: StaticString) { text.withUTF8Buffer { output.append(contentsOf: $0) } }

    private mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { output.append(contentsOf: $0) }
    }
}
