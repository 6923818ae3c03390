import Coding
import Foundation
import RowMemory
import Schema
import Storage

/// Writes a table as an XML store.
struct XMLStoreWriter {
    private let table: RowTable
    private let uuid: String
    private var metadata: [String: PropertyListValue]
    private let numbering: XMLStoreNumbering
    /// The output that has not been appended to the file yet.
    private var output = ""

    /// The size at which the output is appended to the file.
    private static let pieceSize = 1 << 18

    init(_ table: RowTable, _ metadata: StoreMetadata) {
        self.table = table
        numbering = XMLStoreNumbering(table)
        uuid = metadata.uuid
        self.metadata = metadata.valuesInFile
        self.metadata[StoreMetadata.Key.numberOffsets] = numbering.metadata
    }

    /// Passes the file's content to `append` in pieces. Call it only once.
    /// - Throws: errors of reading a large value; `CodingError.unsupported` for metadata with
    ///   characters that XML does not permit.
    mutating func write(_ append: (UnsafeRawBufferPointer) throws -> Void) throws {
        output.reserveCapacity(Self.pieceSize + Self.pieceSize / 8)
        output += XMLStoreFormat.prolog
        output += "<database>\n    <databaseInfo>\n        <version>\(XMLStoreFormat.version)</version>\n"
        output += "        <UUID>\(uuid)</UUID>\n        <nextObjectID>\(numbering.next)</nextObjectID>\n"
        output += "        <metadata>\n            <plist version=\"1.0\">\n"
        try XMLPropertyListWriter.append(
            .dictionary(metadata), indent: String(repeating: " ", count: 16), .store, to: &output)
        output += "            </plist>\n        </metadata>\n    </databaseInfo>\n"
        let entities = table.shape.model.entities.map { EntityTags($0, table.shape) }
        try numbering.forEachRowInOrder(of: table) { row in
            try add(row, entities[row.entityIndex])
            if output.utf8.count >= Self.pieceSize { try flush(to: append) }
        }
        output += "</database>\n"
        try flush(to: append)
    }

    private mutating func flush(to append: (UnsafeRawBufferPointer) throws -> Void) throws {
        try output.withUTF8 { try append(UnsafeRawBufferPointer($0)) }
        output.removeAll(keepingCapacity: true)
    }

    // MARK: Objects

    /// The start tags of an entity's objects and of their properties.
    private struct EntityTags {
        struct Attribute {
            let slot: RowSlot
            let tag: String
            /// The tag of a value whose file is missing.
            let missingTag: String
        }

        struct Leaf {
            let path: [String]
            let tag: String
        }

        let object: String
        let attributes: [Attribute]
        let composites: [(slot: RowSlot, leaves: [Leaf])]
        let toOnes: [(slot: RowSlot, tag: String)]
        let toManys: [(relation: Int, tag: String)]

        init(_ entity: EntityDescription, _ shape: TableShape) {
            func slot(_ property: PropertyDescription) -> RowSlot { shape.layouts[entity.index].slots[property.index] }
            func tag(_ name: String, _ type: String) -> String { "        \(XMLStoreTags.attribute(name, type))" }
            func tag(_ property: PropertyDescription) -> String {
                "        \(XMLStoreTags.relationship(property, shape.model))"
            }
            let stored = entity.properties.filter(\.isStoredInRow)
            object = "    \(XMLStoreTags.object(entity))"
            attributes = stored.compactMap { property in
                guard let attribute = property.attribute, attribute.type != .composite else { return nil }
                let name = XMLStoreNames.name(of: property)
                return Attribute(
                    slot: slot(property), tag: tag(name, XMLValueText.typeName(attribute.type)),
                    missingTag: tag(name, XMLStoreFormat.ValueType.missing))
            }
            composites = stored.compactMap { property in
                guard let attribute = property.attribute, attribute.type == .composite else { return nil }
                let leaves = XMLStoreNames.leaves(of: attribute, in: shape.model)
                return (
                    slot(property),
                    leaves.map { Leaf(path: $0.path, tag: tag($0.name, XMLValueText.typeName($0.attribute.type))) }
                )
            }
            toOnes = stored.compactMap { property in property.relationship.map { _ in (slot(property), tag(property)) }
            }
            toManys = entity.properties.compactMap { property in
                shape.relation(entityIndex: entity.index, propertyIndex: property.index).map { ($0, tag(property)) }
            }
        }
    }

    private mutating func add(_ row: Row, _ entity: EntityTags) throws {
        output += entity.object
        output += "\(numbering.number(row.key, entityIndex: row.entityIndex))\">\n"
        for attribute in entity.attributes where row.hasValue(attribute.slot) {
            if attribute.slot.kind == .large, let name = row.large(attribute.slot)?.fileName {
                try add(attribute.missingTag, .string(name))
            } else {
                try add(attribute.tag, row.value(attribute.slot))
            }
        }
        for (slot, leaves) in entity.composites {
            guard let value = row.boxed(slot)?.value else { continue }
            for leaf in leaves { try add(leaf.tag, value.part(at: leaf.path)) }
        }
        for (slot, tag) in entity.toOnes { add(tag, row.reference(slot).map { [$0] } ?? []) }
        for (relation, tag) in entity.toManys { add(tag, table.members(of: row.key, relation)) }
        output += "    </object>\n"
    }

    private mutating func add(_ tag: String, _ value: PropertyValue) throws {
        guard let text = try XMLValueText.text(value) else { return }
        output += tag
        if let escaped = try? XMLTree.escape(text) {
            output += ">"
            output += escaped
        } else {
            output +=
                " \(XMLStoreFormat.ValueType.encoding)=\"\(XMLStoreFormat.ValueType.base64)\">\(Data(text.utf8).base64EncodedString())"
        }
        output += "</attribute>\n"
    }

    private mutating func add(_ tag: String, _ members: [ObjectReference]) {
        output += tag
        if !members.isEmpty {
            let numbers = members.map { "z\(numbering.number($0.key, entityIndex: $0.entityIndex))" }
            output += " idrefs=\"\(numbers.joined(separator: " "))\""
        }
        output += "></relationship>\n"
    }
}
