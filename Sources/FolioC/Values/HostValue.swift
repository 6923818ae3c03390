internal import CFolio
internal import Folio
internal import Foundation
internal import Interchange

/// A value that the host gives.
struct HostValue {
    let value: folio_value
    let context: ManagedObjectContext

    /// The value as it is.
    /// - Parameter attribute: What text is read for; nil for an argument of a predicate.
    /// - Throws: a usage error for a type that there is not, NULL, invalid UTF-8 and references
    ///   that name nothing.
    func propertyValue(for attribute: AttributeDescription?) throws -> PropertyValue {
        switch folio_type(rawValue: UInt32(bitPattern: value.type)) {
        case FOLIO_NULL: return .null
        case FOLIO_INTEGER: return .int(value.as.integer)
        case FOLIO_BOOLEAN: return .bool(value.as.boolean)
        case FOLIO_DOUBLE: return .double(value.as.number)
        case FOLIO_FLOAT: return .float(Float(value.as.number))
        case FOLIO_DATE: return .date(Date(timeIntervalSinceReferenceDate: value.as.number))
        case FOLIO_STRING: return try propertyValue(of: text(), for: attribute)
        case FOLIO_DECIMAL: return try decimal(text())
        case FOLIO_URI: return try uri(text())
        case FOLIO_BYTES:
            return .data(try data(value.as.bytes.data, value.as.bytes.size))
        case FOLIO_UUID: return .uuid(UUID(uuid: value.as.uuid))
        case FOLIO_REFERENCE: return .object(try objectID(value.as.reference))
        case FOLIO_REFERENCES:
            return .list(
                try elements(value.as.references.items, value.as.references.count).map { .object(try objectID($0)) })
        case FOLIO_COMPOSITE: return try composite()
        case FOLIO_LIST:
            return .list(
                try elements(value.as.list.items, value.as.list.count).map {
                    try HostValue(value: $0, context: context).propertyValue(for: attribute)
                })
        case FOLIO_LARGE:
            throw InterchangeError.usage(
                "a FOLIO_LARGE can't be set", hint: "use folio_object_set_file() or folio_object_set_stream()")
        default: throw InterchangeError.usage("there is no type of values \(value.type)")
        }
    }

    private func propertyValue(of text: String, for attribute: AttributeDescription?) throws -> PropertyValue {
        switch attribute?.type {
        case .decimal: return try decimal(text)
        case .uri: return try uri(text)
        case .uuid:
            guard let uuid = UUID(uuidString: text) else { throw InterchangeError.usage("\(text) is no UUID") }
            return .uuid(uuid)
        default: return .string(text)
        }
    }

    private func text() throws -> String {
        let bytes = try elements(
            value.as.text.data.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) }, value.as.text.size)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw InterchangeError.usage("the text of a value is no UTF-8")
        }
        return text
    }

    private func decimal(_ text: String) throws -> PropertyValue {
        guard text.wholeMatch(of: /[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?/) != nil,
            let decimal = Decimal(string: text), !decimal.isNaN
        else { throw InterchangeError.usage("\(text) is no decimal number") }
        return .decimal(decimal)
    }

    private func uri(_ text: String) throws -> PropertyValue {
        guard let url = URL(string: text) else { throw InterchangeError.usage("\(text) is no URI") }
        return .uri(url)
    }

    private func data(_ pointer: UnsafeRawPointer?, _ size: Int) throws -> Data {
        guard size >= 0, pointer != nil || size == 0 else {
            throw InterchangeError.usage("the bytes of a value are NULL")
        }
        guard let pointer else { return Data() }
        return Data(bytes: pointer, count: size)
    }

    private func elements<Element>(_ pointer: UnsafePointer<Element>?, _ count: Int) throws -> UnsafeBufferPointer<
        Element
    > {
        guard count >= 0, pointer != nil || count == 0 else {
            throw InterchangeError.usage("the elements of a value are NULL")
        }
        return UnsafeBufferPointer(start: pointer, count: count)
    }

    private func composite() throws -> PropertyValue {
        var parts: [String: PropertyValue] = [:]
        for member in try elements(value.as.members.items, value.as.members.count) {
            let name = try FolioC.text(member.name, "the name of a member")
            parts[name] = try HostValue(value: member.value, context: context).propertyValue(for: nil)
        }
        return .composite(parts)
    }

    private func objectID(_ reference: folio_reference) throws -> ManagedObjectID { try context.objectID(reference) }
}

extension ManagedObjectContext {
    /// - Throws: an error with the status `FOLIO_NOT_FOUND` for what can name no object.
    func objectID(_ reference: folio_reference) throws -> ManagedObjectID {
        guard let id = lookup.objectID(withKey: reference.key, entityAt: Int(reference.entity)) else {
            throw InterchangeError(
                .notFound, "unknownObject", "there is no object \(reference.key) of the entity \(reference.entity)")
        }
        return id
    }
}
