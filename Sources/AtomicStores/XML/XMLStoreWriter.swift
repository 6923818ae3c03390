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
    private var output: [UInt8] = []

    init(_ table: RowTable, _ metadata: StoreMetadata) {
        self.table = table
        shape = table.shape
        numbering = XMLStoreNumbering(table)
        var metadata = metadata
        metadata.values[StoreMetadata.Key.numberOffsets] = numbering.metadata
        self.metadata = metadata
    }

    /// The file.
    /// - Throws: what reading a large value throws; `CodingError.unsupported` for metadata with characters that XML can't hold.
    func bytes() throws -> [UInt8] {
        var copy = self
        try copy.write()
        return copy.output
    }

    private mutating func write() throws {
        add(XMLStoreFormat.prolog)
        add("<database>\n    <databaseInfo>\n        <version>\(XMLStoreFormat.version)</version>\n")
        add("        <UUID>\(metadata.uuid)</UUID>\n        <nextObjectID>\(numbering.next)</nextObjectID>\n")
        add("        <metadata>\n            <plist version=\"1.0\">\n")
        var list = ""
        try XMLPropertyListWriter.append(.dictionary(metadata.values), indent: String(repeating: " ", count: 16), .store, to: &list)
        add(list)
        add("            </plist>\n        </metadata>\n    </databaseInfo>\n")
        let writers = shape.model.entities.map { EntityWriter($0, shape) }
        for row in numbering.rowsInOrder(of: table) { try add(row, writers[row.entityIndex]) }
        add("</database>\n")
    }

    // MARK: Objects

    /// What of an entity's objects is written, with everything that does not change from one to the next.
    private struct EntityWriter {
        let name: String
        let attributes: [(slot: RowSlot, description: AttributeDescription, opening: String)]
        let composites: [(slot: RowSlot, leaves: [(path: [String], opening: String)])]
        let toOnes: [(slot: RowSlot, opening: String)]
        let toManys: [(relation: Int, opening: String)]

        init(_ entity: Entity, _ shape: TableShape) {
            name = XMLStoreNames.name(of: entity)
            func slot(_ property: Property) -> RowSlot { shape.layouts[entity.index].slots[property.index] }
            let stored = entity.properties.filter(\.isStoredInRow)
            attributes = stored.compactMap { property in
                guard let attribute = property.attribute, attribute.type != .composite else { return nil }
                return (slot(property), attribute, Self.opening(XMLStoreNames.name(of: property), attribute.type))
            }
            composites = stored.compactMap { property in
                guard let attribute = property.attribute, attribute.type == .composite else { return nil }
                let leaves = XMLStoreNames.leaves(of: attribute, in: shape.model).map { ($0.path, Self.opening($0.name, $0.attribute.type)) }
                return (slot(property), leaves)
            }
            toOnes = stored.compactMap { property in
                property.relationship.map { _ in (slot(property), Self.opening(of: property, "1/1", shape.model)) }
            }
            toManys = entity.properties.compactMap { property in
                guard let relation = shape.relation(entityIndex: entity.index, propertyIndex: property.index) else { return nil }
                return (relation, Self.opening(of: property, "0/0", shape.model))
            }
        }

        private static func opening(_ name: String, _ type: AttributeType) -> String {
            "        <attribute name=\"\(quoted(name))\" type=\"\(XMLValueText.typeName(type))\""
        }

        private static func opening(of property: Property, _ type: String, _ model: ManagedObjectModel) -> String {
            let destination = quoted(XMLStoreNames.name(of: model.entities[property.destinationIndex]))
            return "        <relationship name=\"\(quoted(XMLStoreNames.name(of: property)))\" type=\"\(type)\" destination=\"\(destination)\""
        }

        static func quoted(_ name: String) -> String { (try? XMLTree.escape(name, isAttribute: true)) ?? name }
    }

    private mutating func add(_ row: Row, _ writer: EntityWriter) throws {
        add("    <object type=\"\(EntityWriter.quoted(writer.name))\" id=\"z\(numbering.number(row.key, entityIndex: row.entityIndex))\">\n")
        for (slot, description, opening) in writer.attributes where row.hasValue(slot) {
            if slot.kind == .large, let value = row.large(slot), let name = value.fileName {
                let end = opening.range(of: " type=", options: .backwards)?.lowerBound ?? opening.endIndex
                add("\(opening[..<end]) type=\"\(XMLStoreFormat.ValueType.missing)\">\(try XMLTree.escape(name))</attribute>\n")
            } else {
                add(opening, try XMLValueText.text(row.value(slot)), isText: description.type == .string || description.type == .uri)
            }
        }
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

    private mutating func add(_ opening: String, _ text: String?, isText: Bool) {
        guard let text else { return }
        add(opening)
        guard isText else { return add(">\(text)</attribute>\n") }
        if let escaped = try? XMLTree.escape(text) {
            add(">\(escaped)</attribute>\n")
        } else {
            add(" \(XMLStoreFormat.ValueType.encoding)=\"\(XMLStoreFormat.ValueType.base64)\">\(Data(text.utf8).base64EncodedString())</attribute>\n")
        }
    }

    private mutating func add(_ opening: String, _ members: [ObjectReference]) {
        add(opening)
        if !members.isEmpty {
            add(" idrefs=\"")
            for (index, member) in members.enumerated() {
                add("\(index == 0 ? "" : " ")z\(numbering.number(member.key, entityIndex: member.entityIndex))")
            }
            add("\"")
        }
        add("></relationship>\n")
    }

    private mutating func add(_ text: String) { output.append(contentsOf: text.utf8) }
}
