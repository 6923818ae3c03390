package import Folio
import Foundation
package import RowMemory

/// Writes rows of one entity in the format of the export. Names and slots are looked up once.
package struct ObjectWriter {
    private struct Column {
        let name: String
        let slot: RowSlot
    }

    private struct Link {
        let name: String
        let property: PropertyDescription
    }

    package let entityIndex: Int
    private let attributes: [Column]
    private let relationships: [Link]
    private let slots: [RowSlot]
    private let prefixes: [String]

    /// `prefixes` are the URIs of the store's objects without the primary key, by entity index.
    package init(entity: EntityDescription, layout: RowLayout, prefixes: [String]) {
        entityIndex = entity.index
        slots = layout.slots
        self.prefixes = prefixes
        let stored = entity.properties.filter { !$0.isTransient }.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        attributes = stored.compactMap { property in
            guard let attribute = property.attribute, attribute.type != .undefined, attribute.type != .objectID else {
                return nil
            }
            return Column(name: property.name, slot: layout.slots[property.index])
        }
        relationships = stored.filter { $0.relationship != nil }.map { Link(name: $0.name, property: $0) }
    }

    /// The names of the columns after `id` in CSV.
    package var columnNames: [String] { attributes.map(\.name) + relationships.map(\.name) }

    package func uri(_ reference: ObjectReference) -> String { prefixes[reference.entityIndex] + String(reference.key) }

    private func uri(of row: Row) -> String { prefixes[row.entityIndex] + String(row.key) }

    /// Writes one object. `related` provides its to-many relationships and detects dangling to-one
    /// references.
    package func write(_ row: Row, at index: Int, of related: RelatedRows, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("attributes")
        writer.beginObject()
        for column in attributes {
            writer.name(column.name)
            write(row, column.slot, to: &writer)
        }
        writer.endObject()
        writer.name("id")
        writer.string(uri(of: row))
        writer.name("relationships")
        writer.beginObject()
        for link in relationships {
            writer.name(link.name)
            if link.property.isToMany {
                writer.beginArray()
                for member in related.members(link.property.index, at: index) { writer.string(uri(member)) }
                writer.endArray()
            } else if let reference = related.target(row, slots[link.property.index]) {
                writer.string(uri(reference))
            } else {
                writer.null()
            }
        }
        writer.endObject()
        writer.endObject()
    }

    private func write(_ row: Row, _ slot: RowSlot, to writer: inout JSONWriter) {
        // Frequent types are written without creating a `PropertyValue`.
        switch slot.kind {
        case .string, .uri:
            if let text = row.string(slot) { writer.string(text) } else { writer.null() }
        case .int:
            if let value = row.int(slot) { writer.word(String(value)) } else { writer.null() }
        default: writer.property(row.value(slot))
        }
    }

    /// The text of one property for a table; empty if the entity has no such property.
    package func cell(_ name: String, _ row: Row, _ related: RelatedRows) -> String {
        if let column = attributes.first(where: { $0.name == name }) { return ValueText.cell(row.value(column.slot)) }
        guard let link = relationships.first(where: { $0.name == name }), !link.property.isToMany else { return "" }
        return related.target(row, slots[link.property.index]).map(shortName) ?? ValueText.nilMark
    }

    /// All properties with their cell texts; the URI comes first as `id`. The objects of to-many
    /// relationships are separated by commas.
    package func members(_ row: Row, at index: Int, of related: RelatedRows) -> [(name: String, text: String)] {
        [("id", uri(of: row))] + attributes.map { ($0.name, ValueText.cell(row.value($0.slot))) }
            + relationships.map { link in
                guard link.property.isToMany else { return (link.name, cell(link.name, row, related)) }
                return (
                    link.name, related.members(link.property.index, at: index).map(shortName).joined(separator: ", ")
                )
            }
    }

    /// `Entity/p7`
    package func shortName(_ reference: ObjectReference) -> String {
        uri(reference).split(separator: "/").suffix(2).joined(separator: "/")
    }

    /// The CSV fields of one object, its URI first. The objects of to-many relationships are URIs
    /// separated by spaces.
    package func fields(_ row: Row, at index: Int, of related: RelatedRows) throws -> [String?] {
        var fields: [String?] = [uri(of: row)]
        fields += try attributes.map { try ValueText.field(row.value($0.slot)) }
        fields += relationships.map { link in
            guard link.property.isToMany else { return related.target(row, slots[link.property.index]).map(uri) }
            let members = related.members(link.property.index, at: index)
            return members.isEmpty ? nil : members.map(uri).joined(separator: " ")
        }
        return fields
    }
}

extension StoreIdentity {
    /// The URIs of the objects of each entity without the primary key, by entity index.
    package var uriPrefixes: [String] {
        model.entities.map {
            String(ManagedObjectID(store: self, entityIndex: $0.index, key: 1).description.dropLast())
        }
    }
}
