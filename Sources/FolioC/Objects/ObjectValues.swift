package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

@c @implementation
package func folio_object_get(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<folio_value>?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object), value = try place(value, "the place of the value")
        try handle.perform(reading: true) { object in
            let index = try handle.content.index(of: key, in: handle.content.entity(of: object))
            let read = try PropertyAccess(object).value(at: index)
            handle.buffer.reset()
            handle.buffer.write(read, to: value)
        }
    }
}

@c @implementation
package func folio_object_read(
    _ object: OpaquePointer?, _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ key_count: Int,
    _ values: UnsafeMutablePointer<folio_value>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object)
        try handle.perform(reading: true) { object in
            var reader = try ValueReader(keys, key_count, of: handle.content)
            guard key_count > 0 else { return }
            let values = try place(values, "the place of the values")
            handle.buffer.reset()
            try reader.check(handle.content.entity(of: object))
            try reader.read(object, to: values, handle.buffer)
        }
    }
}

@c @implementation
package func folio_object_set(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<folio_value>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object)
        try handle.edit { object in
            let entity = try handle.content.entity(of: object)
            let property = entity.properties[try handle.content.index(of: key, in: entity)]
            let given = try hostValue(value, for: property, of: handle.content)
            if case .list(let members) = given, property.relationship?.isOrdered == true { try checkDistinct(members) }
            try object.setPropertyValue(given, forKey: property.name)
        }
    }
}

/// - Throws: a usage error for a list that names an object twice: it would have another length as
///   the content of a relationship.
private func checkDistinct(_ members: [PropertyValue]) throws {
    var known: Set<ManagedObjectID> = []
    for case .object(let id) in members where !known.insert(id).inserted {
        throw InterchangeError.usage("\(id.shortName) stands in the list twice, and is a member once")
    }
}

/// A value of the host's for a property.
private func hostValue(
    _ value: UnsafePointer<folio_value>?, for property: PropertyDescription, of content: DocumentContent
) throws
    -> PropertyValue
{
    guard let value else { return .null }
    let host = HostValue(value: value.pointee, context: try content.opened.context)
    return try host.propertyValue(for: property.attribute)
}

// MARK: Relationships

@c @implementation
package func folio_object_get_object(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ related: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object), related = try place(related, "the place of the object")
        related.pointee = try handle.perform(reading: true) { object in
            let target = try PropertyAccess(object).relatedObject(at: relationship(key, of: object, handle.content))
            return target.map { HandleTable.handle(of: ObjectContent($0, of: handle.content)) }
        }
    }
}

@c @implementation
package func folio_object_set_object(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ related: OpaquePointer?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object), target = try related.map { try objectContent($0) }
        try handle.edit { object in
            let index = try relationship(key, of: object, handle.content)
            try PropertyAccess(object).setRelatedObject(target.map { try member($0, of: handle) }, at: index)
        }
    }
}

@c @implementation
package func folio_object_get_objects(_ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ error: ErrorPlace)
    -> OpaquePointer?
{
    pointer(error) {
        let handle = try objectContent(object)
        return try handle.perform(reading: true) { object in
            let objects = try PropertyAccess(object).relatedObjects(at: relationship(key, of: object, handle.content))
            return HandleTable.handle(of: ResultsContent(objects, of: handle.content))
        }
    }
}

@c @implementation
package func folio_object_add(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ member: OpaquePointer?, _ error: ErrorPlace
) -> folio_status {
    status(error) { try add(member, to: object, key, at: nil) }
}

@c @implementation
package func folio_object_insert_at(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ member: OpaquePointer?, _ index: Int,
    _ error: ErrorPlace
) -> folio_status {
    status(error) { try add(member, to: object, key, at: index) }
}

private func add(_ member: OpaquePointer?, to object: OpaquePointer?, _ key: UnsafePointer<CChar>?, at position: Int?)
    throws
{
    let handle = try objectContent(object), added = try objectContent(member)
    try handle.edit { object in
        let index = try relationship(key, of: object, handle.content)
        try PropertyAccess(object).addRelatedObject(FolioC.member(added, of: handle), at: index, position: position)
    }
}

@c @implementation
package func folio_object_remove(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ member: OpaquePointer?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object), removed = try objectContent(member)
        try handle.edit { object in
            let index = try relationship(key, of: object, handle.content)
            try PropertyAccess(object).removeRelatedObject(FolioC.member(removed, of: handle), at: index)
        }
    }
}

/// The index of a relationship.
/// - Throws: usage errors: no such key, or the key of an attribute.
private func relationship(_ key: UnsafePointer<CChar>?, of object: ManagedObject, _ content: DocumentContent) throws
    -> Int
{
    let entity = try content.entity(of: object)
    let index = try content.index(of: key, in: entity)
    guard entity.properties[index].relationship != nil else {
        throw InterchangeError.usage("\(entity.name).\(entity.properties[index].name) is no relationship")
    }
    return index
}

/// The object of a handle, which is to be of the same document.
private func member(_ handle: ObjectContent, of owner: ObjectContent) throws -> ManagedObject {
    guard handle.content === owner.content else {
        throw InterchangeError.usage("the objects are of different documents")
    }
    let object = try handle.known()
    _ = try owner.content.entity(of: object)
    return object
}

// MARK: Validation

@c @implementation
package func folio_object_validate(_ object: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        let handle = try objectContent(object)
        try handle.perform { object in
            _ = try handle.content.entity(of: object)
            if object.isDeleted {
                try object.validateForDelete()
            } else if object.isInserted {
                try object.validateForInsert()
            } else {
                try object.validateForUpdate()
            }
        }
    }
}

@c @implementation
package func folio_object_validate_value(
    _ object: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<folio_value>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let handle = try objectContent(object)
        try handle.perform { object in
            let entity = try handle.content.entity(of: object)
            let property = entity.properties[try handle.content.index(of: key, in: entity)]
            guard property.attribute != nil else {
                throw InterchangeError.usage("\(entity.name).\(property.name) is no attribute")
            }
            try object.validateValue(
                hostValue(value, for: property, of: handle.content).plain, forKey: property.name)
        }
    }
}

@c @implementation
package func folio_document_validate(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        let content = try documentContent(document)
        try content.perform { document in
            let context = document.context
            context.processWithinStep()
            var failures: [ValidationError.Failure] = []
            func check(_ objects: Set<ManagedObject>, _ validate: (ManagedObject) throws -> Void) throws {
                for object in objects {
                    do { try validate(object) } catch let error as ValidationError { failures += error.failures }
                }
            }
            try check(context.insertedObjects) { try $0.validateForInsert() }
            try check(context.updatedObjects) { try $0.validateForUpdate() }
            try check(context.deletedObjects) { try $0.validateForDelete() }
            guard failures.isEmpty else { throw ValidationError(failures) }
        }
    }
}
