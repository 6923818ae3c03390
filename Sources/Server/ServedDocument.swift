import Coding
import Folio
import Foundation
import Interchange

/// A document that a client has open.
final class ServedDocument {
    let name: String
    let document: PersistentDocument
    /// What the client was told last.
    var toldState: [String: JSONValue]

    init(_ name: String, _ document: PersistentDocument) {
        self.name = name
        self.document = document
        toldState = [:]
        toldState = state
    }

    var context: ManagedObjectContext { document.context }

    /// What an editor shows beside the objects.
    var state: [String: JSONValue] {
        let undoManager = document.context.undoManager
        return [
            "hasUnsavedChanges": .bool(document.hasUnsavedChanges),
            "canUndo": .bool(undoManager?.canUndo ?? false), "undoName": .string(undoManager?.undoActionName ?? ""),
            "canRedo": .bool(undoManager?.canRedo ?? false), "redoName": .string(undoManager?.redoActionName ?? ""),
        ]
    }

    /// The document as `folio info --json` describes it, and what is unsaved here.
    var info: JSONValue {
        func date(_ date: Date?) -> JSONValue { date.map { .string(ValueText.moment($0)) } ?? .null }
        return .object(
            [
                "document": .string(name), "kind": .string(document.kind.rawValue), "path": .string(document.url.path),
                "uuid": .string(document.uuid), "mode": .string(document.mode == .editing ? "edit" : "read"),
                "model": .object([
                    "name": document.manifest.map { .string($0.model.name) } ?? .null,
                    "identifiers": .strings(document.model.definition.versionIdentifiers),
                    "digest": .string(document.model.versionHashesDigest),
                ]),
                "saved": date(document.saved), "autosaved": date(document.autosaved),
                "hasAutosavedWork": .bool(document.hasAutosavedWork), "isRecovered": .bool(document.recovered != nil),
                "hasConflict": .bool(document.outsideChange == .conflict),
                "generation": document.generation.map { .int($0) } ?? .null,
                "missingParts": .strings(document.store.missingParts),
            ].merging(state) { $1 })
    }

    // MARK: Objects

    /// The object that a URI or `Entity/p1` names.
    func object(_ name: String) throws -> ManagedObject {
        try context.existingObject(with: ObjectName.id(name, in: document.store.identity))
    }

    /// An object in the shape of the export.
    func json(_ object: ManagedObject) throws -> JSONValue {
        var attributes: [String: JSONValue] = [:], relationships: [String: JSONValue] = [:]
        for property in object.entity.properties where !property.isTransient {
            if let attribute = property.attribute {
                guard attribute.type != .undefined, attribute.type != .objectID else { continue }
                attributes[property.name] = ValueJSON.json(try object.propertyValue(forKey: property.name))
            } else {
                relationships[property.name] = ValueJSON.json(try object.propertyValue(forKey: property.name))
            }
        }
        return .object([
            "attributes": .object(attributes), "id": .string(object.objectID.description),
            "relationships": .object(relationships),
        ])
    }

    /// Some keys and key paths of an object, flat.
    func json(_ object: ManagedObject, columns: [String]) throws -> JSONValue {
        var values: [String: JSONValue] = ["id": .string(object.objectID.description)]
        for column in columns {
            let path = column.split(separator: ".").map(String.init)
            values[column] = try json(object, path[...])
        }
        return .object(values)
    }

    /// The value at the end of a path; a to-many step gives all values.
    private func json(_ object: ManagedObject, _ path: ArraySlice<String>) throws -> JSONValue {
        guard let key = path.first, object.entity.property(named: key) != nil else { return .null }
        let value = try object.propertyValue(forKey: key)
        guard path.count > 1 else { return ValueJSON.json(value) }
        switch value {
        case .object(let id): return try json(context.existingObject(with: id), path.dropFirst())
        case .list(let members):
            return .array(
                try members.compactMap { member in
                    guard case .object(let id) = member else { return nil }
                    return try json(context.existingObject(with: id), path.dropFirst())
                })
        default: return .null
        }
    }

    /// Sets properties of an object.
    func set(_ values: [String: JSONValue], of object: ManagedObject) throws {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let property = try EntityLookup.property(named: key, of: object.entity)
            if let attribute = property.attribute {
                let parsed = try ValueParser.value(value, for: attribute, in: document.model)
                try object.setPropertyValue(parsed, forKey: key)
            } else if property.isToMany, let members = value.object {
                try change(members, property, of: object)
            } else {
                try object.setPropertyValue(link(value, property), forKey: key)
            }
        }
    }

    /// `{"add": […], "remove": […]}`
    private func change(_ members: [String: JSONValue], _ property: PropertyDescription, of object: ManagedObject)
        throws
    {
        let change = try Parameters(.object(members), allowed: ["add", "remove"])
        for name in try change.strings("add") {
            try PropertyAccess(object).addRelatedObject(self.object(name), at: property.index, position: nil)
        }
        for name in try change.strings("remove") {
            try PropertyAccess(object).removeRelatedObject(self.object(name), at: property.index)
        }
    }

    private func link(_ value: JSONValue, _ property: PropertyDescription) throws -> PropertyValue {
        switch value {
        case .null: return .null
        case .string(let name) where !property.isToMany: return .object(try object(name).objectID)
        case .array where property.isToMany:
            guard let names = value.strings else { break }
            return .list(try names.map { .object(try object($0).objectID) })
        default: break
        }
        throw InterchangeError.usage(
            "\(property.name) takes \(property.isToMany ? "an array of objects, or add and remove" : "an object or null"), not \(value.kind)"
        )
    }

    // MARK: Edits

    /// - Throws: an error with the exit code 77.
    func checkIsEditable() throws {
        guard document.mode == .editing else {
            throw InterchangeError(
                .permission, "readOnly", "the document is open for reading only", path: document.url.path)
        }
    }

    /// Runs edits as one step of undo; if one fails, none of them is done.
    func edit<Result>(_ name: String?, _ body: () throws -> Result) throws -> Result {
        try checkIsEditable()
        return try context.edits.asOneStep(named: name, body)
    }
}
