package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

/// An object that the host has a handle of.
final class ObjectContent: HandleContent {
    let content: DocumentContent
    /// Used inside the document's monitor.
    private(set) var object: ManagedObject?
    /// The text and bytes of what was read last.
    let buffer = ValueBuffer()

    /// Called inside the document's monitor.
    init(_ object: ManagedObject, of content: DocumentContent) {
        self.object = object
        self.content = content
        super.init(.object)
    }

    deinit { content.performAlways(reading: true) { object = nil } }

    /// Runs work on the object on the calling thread.
    /// - Parameter reading: Whether no value of an object and no relationship is changed.
    @inline(__always)
    func perform<Result>(reading: Bool = false, _ body: (ManagedObject) throws -> Result) throws -> Result {
        try content.monitor.enter(reading: reading)
        defer { content.monitor.leave() }
        return try body(known())
    }

    /// Runs work that changes the object.
    func edit<Result>(_ body: (ManagedObject) throws -> Result) throws -> Result {
        try perform { object in
            try content.checkIsEditable()
            defer { content.noteEdit() }
            return try body(object)
        }
    }

    /// The object. Called inside the monitor.
    @inline(__always)
    func known() throws -> ManagedObject {
        guard let object, content.isOpen else { throw DocumentContent.closed }
        return object
    }
}

func objectContent(_ handle: OpaquePointer?) throws -> ObjectContent { try HandleTable.content(of: handle, .object) }

extension DocumentContent {
    @inline(__always)
    var isOpen: Bool { document?.isOpen ?? false }

    /// - Throws: an error with the status `FOLIO_PERMISSION`.
    func checkIsEditable() throws {
        let document = try opened
        guard document.mode == .editing else {
            throw InterchangeError(
                .permission, "readOnly", "the document is open for reading only", path: document.url.path)
        }
    }

    /// The index of a property of an object's entity.
    @inline(__always)
    func index(of key: UnsafePointer<CChar>?, in entity: EntityDescription) throws -> Int {
        guard let key else { throw InterchangeError.usage("the key is NULL") }
        guard let index = keyTable(entity).index(key, strlen(key)) else {
            throw GraphError.unknownKey(try text(key, "the key"), of: entity)
        }
        return index
    }

    /// The names of the properties of an entity of the document's model.
    func keyTable(_ entity: EntityDescription) -> KeyTable {
        if entity.index < keyTables.count, let table = keyTables[entity.index] { return table }
        while keyTables.count <= entity.index { keyTables.append(nil) }
        let table = KeyTable(entity)
        keyTables[entity.index] = table
        return table
    }

    /// The entity of an object.
    /// - Throws: an error with the status `FOLIO_NOT_FOUND` for one that was deleted and saved.
    @inline(__always)
    func entity(of object: ManagedObject) throws -> EntityDescription {
        guard let entity = PropertyAccess(object).entity else {
            throw InterchangeError(.notFound, "unknownObject", "the object was deleted, or its insertion was undone")
        }
        return entity
    }
}

@c @implementation
package func folio_document_insert(
    _ document: OpaquePointer?, _ entity: UnsafePointer<CChar>?, _ error: ErrorPlace
) -> OpaquePointer? {
    pointer(error) {
        let name = try text(entity, "the entity"), content = try documentContent(document)
        return try content.edit { document in
            try content.checkIsEditable()
            return HandleTable.handle(of: ObjectContent(try document.context.insert(name), of: content))
        }
    }
}

@c @implementation
package func folio_document_object(_ document: OpaquePointer?, _ reference: folio_reference, _ error: ErrorPlace)
    -> OpaquePointer?
{
    pointer(error) {
        let content = try documentContent(document)
        return try content.perform(reading: true) { document in
            let object = try document.context.existingObject(with: document.context.objectID(reference))
            return HandleTable.handle(of: ObjectContent(object, of: content))
        }
    }
}

@c @implementation
package func folio_document_object_with_uri(
    _ document: OpaquePointer?, _ uri: UnsafePointer<CChar>?, _ error: ErrorPlace
) -> OpaquePointer? {
    pointer(error) {
        let uri = try text(uri, "the URI"), content = try documentContent(document)
        return try content.perform { document in
            let object = try document.context.existingObject(with: ObjectName.id(uri, in: document.store.identity))
            return HandleTable.handle(of: ObjectContent(object, of: content))
        }
    }
}

@c @implementation
package func folio_object_free(_ object: OpaquePointer?) {
    _ = HandleTable.release(object, .object, as: ObjectContent.self)
}

@c @implementation
package func folio_object_reference(
    _ object: OpaquePointer?, _ reference: UnsafeMutablePointer<folio_reference>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let reference = try place(reference, "the place of the reference")
        reference.pointee = try objectContent(object).perform(reading: true) { try folio_reference($0) }
    }
}

extension folio_reference {
    init(_ object: ManagedObject) throws {
        let identity = try PropertyAccess(object).identity()
        self.init(key: identity.key, entity: Int32(identity.entityIndex))
    }
}

@c @implementation
package func folio_object_uri(_ object: OpaquePointer?, _ error: ErrorPlace) -> UnsafeMutablePointer<CChar>? {
    pointer(error) {
        let content = try objectContent(object)
        return ownedText(
            try content.perform(reading: true) { object in
                _ = try content.content.entity(of: object)
                return object.objectID.description
            })
    }
}

@c @implementation
package func folio_object_obtain_permanent_reference(_ object: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        let content = try objectContent(object)
        try content.edit { object in
            _ = try content.content.entity(of: object)
            try content.content.opened.context.obtainPermanentIDs(for: [object])
        }
    }
}

@c @implementation
package func folio_object_changes(
    _ object: OpaquePointer?, _ changes: UnsafeMutablePointer<Int32>?, _ error: ErrorPlace
)
    -> folio_status
{
    status(error) {
        let changes = try place(changes, "the place of the changes")
        changes.pointee = try objectContent(object).perform(reading: true) { object in
            if object.isDeleted { return Int32(FOLIO_DELETED) }
            return Int32(object.isInserted ? FOLIO_INSERTED : object.isUpdated ? FOLIO_UPDATED : 0)
        }
    }
}

@c @implementation
package func folio_object_delete(_ object: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        let content = try objectContent(object)
        try content.edit { object in
            _ = try content.content.entity(of: object)
            try content.content.opened.context.delete(object)
        }
    }
}

@c @implementation
package func folio_object_refresh(_ object: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        let content = try objectContent(object)
        try content.perform { object in
            _ = try content.content.entity(of: object)
            try content.content.opened.context.refresh(object, mergeChanges: false)
            content.content.noteEdit()
        }
    }
}
