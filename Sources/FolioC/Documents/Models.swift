package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

@c @implementation
package func folio_document_entity_count(_ document: OpaquePointer?) -> Int {
    (try? documentContent(document).perform { $0.model.entities.count }) ?? 0
}

@c @implementation
package func folio_document_find_entity(_ document: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> Int32 {
    guard let name = try? text(name, "the name"),
        let index = try? documentContent(document).perform({ $0.model.entity(named: name)?.index })
    else { return -1 }
    return Int32(index)
}

private func entity(_ index: Int32, of document: PersistentDocument) throws -> EntityDescription {
    guard document.model.entities.indices.contains(Int(index)) else {
        throw InterchangeError.usage("there is no entity \(index)")
    }
    return document.model.entities[Int(index)]
}

@c @implementation
package func folio_document_get_entity(
    _ document: OpaquePointer?, _ entity: Int32, _ info: UnsafeMutablePointer<folio_entity_info>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try documentContent(document), info = try place(info, "the info")
        try content.perform { document in
            let entity = try FolioC.entity(entity, of: document), size = info.pointee.size
            try fill(
                info, size: size,
                folio_entity_info(
                    size: size, name: content.keptText(entity.name),
                    superentity: Int32(entity.superentity?.index ?? -1),
                    is_abstract: entity.isAbstract, property_count: entity.properties.count))
        }
    }
}

@c @implementation
package func folio_document_get_property(
    _ document: OpaquePointer?, _ entity: Int32, _ index: Int, _ info: UnsafeMutablePointer<folio_property_info>?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try documentContent(document), info = try place(info, "the info")
        try content.perform { document in
            let entity = try FolioC.entity(entity, of: document), size = info.pointee.size
            guard entity.properties.indices.contains(index) else {
                throw InterchangeError.usage("\(entity.name) has no property \(index)")
            }
            let property = entity.properties[index], relationship = property.relationship
            try fill(
                info, size: size,
                folio_property_info(
                    size: size, name: content.keptText(property.name), type: folio_type(property),
                    is_optional: property.isOptional, is_transient: property.isTransient,
                    is_ordered: relationship?.isOrdered ?? false, destination: Int32(property.destinationIndex),
                    inverse: relationship?.inverseName.map { content.keptText($0) },
                    type_name: (property.attribute?.type.name).map { content.keptText($0) }))
        }
    }
}

extension folio_type {
    /// The type of the values of a property as they are read.
    init(_ property: PropertyDescription) {
        guard let attribute = property.attribute else {
            self = property.isToMany ? FOLIO_REFERENCES : FOLIO_REFERENCE
            return
        }
        switch attribute.type {
        case .integer16, .integer32, .integer64: self = FOLIO_INTEGER
        case .boolean: self = FOLIO_BOOLEAN
        case .double: self = FOLIO_DOUBLE
        case .float: self = FOLIO_FLOAT
        case .decimal: self = FOLIO_DECIMAL
        case .date: self = FOLIO_DATE
        case .string: self = FOLIO_STRING
        case .uuid: self = FOLIO_UUID
        case .uri: self = FOLIO_URI
        case .binary, .transformable:
            self = attribute.allowsExternalBinaryDataStorage ? FOLIO_LARGE : FOLIO_BYTES
        case .composite: self = FOLIO_COMPOSITE
        case .objectID: self = FOLIO_REFERENCE
        default: self = FOLIO_NULL
        }
    }
}

@c @implementation
package func folio_document_model_json(_ document: OpaquePointer?, _ error: ErrorPlace) -> UnsafeMutablePointer<CChar>?
{
    pointer(error) { ownedText(try documentContent(document).perform { ModelJSON.text(of: $0) }) }
}
