import Schema

/// Writes the class of one entity.
struct ClassWriter {
    let entity: EntityDescription
    let className: String
    let model: ManagedObjectModel
    let names: SwiftNames
    let generator: CodeGenerator

    var access: String { generator.accessLevel.prefix }

    static let notice = "// Generated from the model: changes made here are lost.\n"

    /// The imports of the file with the properties.
    var imports: String { "\(access)import Folio\n\(usesFoundation ? "\(access)import Foundation\n" : "")" }

    var usesFoundation: Bool {
        entity.definition.attributes.contains { SwiftType($0, names).isOfFoundation }
            || entity.definition.relationships.contains { $0.isToMany && $0.isOrdered }
    }

    /// The file with the class, which users extend.
    var classFile: String { "\(isRoot ? access : "")import Folio\n\n\(classText)" }

    var classText: String {
        // A class with subclasses in the model must be open to inheritance in Swift.
        let isFinal = !model.entities.contains {
            $0 !== entity && $0.isKind(of: entity) && names.classes[$0.name] != nil
        }
        let keyword = isFinal ? "final class" : "class"
        let opened = !isFinal && generator.accessLevel == .public ? "open class" : access + keyword
        return documentation(entity.definition.userInfo, indent: "") + "\(opened) \(className): \(superclass) {\n}\n"
    }

    // A class can't be more visible than its superclass.
    private var superclass: String { names.objectType(entity.superentity) }

    /// Whether the class is the topmost class of the model in its hierarchy. It declares the
    /// conformances, which subclasses inherit.
    private var isRoot: Bool { superclass == names.folio("ManagedObject") }

    /// The file with the properties, in the order of their names.
    var propertiesFile: String { Self.notice + imports + "\n" + propertiesText }

    var propertiesText: String {
        var text = "extension \(className) {"
        for attribute in entity.definition.attributes { text += "\n" + property(attribute) }
        for relationship in entity.definition.relationships { text += "\n" + property(relationship) }
        for fetched in entity.definition.fetchedProperties { text += "\n" + property(fetched) }
        text += "\n" + keyPaths + "}\n"
        for relationship in entity.definition.relationships where relationship.isToMany {
            text += "\n" + accessors(relationship)
        }
        return isRoot ? text + conformances : text
    }

    // MARK: Properties

    private func property(_ attribute: AttributeDescription) -> String {
        let type = SwiftType(attribute, names)
        let name = names.property(attribute.name, of: entity)
        var text = documentation(attribute.userInfo, indent: "    ")
        guard let value = type.typed else {
            text += "    \(access)var \(name): \(type.text) {\n"
            text += "        get { self[\(literal(attribute.name))]\(type.cast) }\n"
            if !attribute.isDerived { text += "        set { self[\(literal(attribute.name))] = newValue }\n" }
            return text + "    }\n"
        }
        let handle = SwiftNames.handle(attribute.name)
        let place = type.isScalar ? "[required: Self.\(handle)]" : "[Self.\(handle)]"
        text += "    \(access)var \(name): \(type.text) {\n        get { self\(place) }\n"
        // A derived property has no setter, because the store computes the value.
        if !attribute.isDerived { text += "        set { self\(place) = newValue }\n" }
        text += "    }\n"
        return text
            + "    \(access)static let \(handle) = \(names.folio("_TypedAttribute"))<\(value)>(\(literal(attribute.name)))\n"
    }

    private func property(_ relationship: RelationshipDescription) -> String {
        let destination = names.objectType(model.entity(named: relationship.destinationEntityName))
        let handle = SwiftNames.handle(relationship.name)
        let members = "\(names.folio("ManagedObjects"))<\(destination)>"
        let type = relationship.isToMany ? members : "\(destination)?"
        let keeper =
            relationship.isToMany
            ? "\(names.folio("_TypedToMany"))<\(members)>" : "\(names.folio("_TypedToOne"))<\(destination)>"
        var text = documentation(relationship.userInfo, indent: "    ")
        text += "    \(access)var \(names.property(relationship.name, of: entity)): \(type) {\n"
        text += "        get { self[Self.\(handle)] }\n        set { self[Self.\(handle)] = newValue }\n    }\n"
        return text + "    \(access)static let \(handle) = \(keeper)(\(literal(relationship.name)))\n"
    }

    private func property(_ fetched: FetchedPropertyDescription) -> String {
        let type = names.objectType(model.entity(named: fetched.fetchRequest.entityName))
        return documentation(fetched.userInfo, indent: "    ")
            + "    \(access)var \(names.property(fetched.name, of: entity)): [\(type)] { self[\(literal(fetched.name))] as? [\(type)] ?? [] }\n"
    }

    // MARK: Names of all properties

    private static func keyPaths(of className: String) -> String {
        className.prefix(1).lowercased() + className.dropFirst() + "KeyPaths"
    }

    private var keyPathTable: String { "[\(names.swift("AnyKeyPath")): \(names.swift("String"))]" }

    /// The function that returns the names of the properties by key paths of the class or of a
    /// subclass.
    private var keyPaths: String {
        let properties = entity.definition.attributes.map(\.name) + entity.definition.relationships.map(\.name)
        let naming = "\(className) & \(names.folio("KeyPathNaming"))"
        var text =
            "    \(access)static func \(Self.keyPaths(of: className))(of type: \(names.folio("ManagedObject")).Type) -> \(keyPathTable) {\n"
        guard !properties.isEmpty else { return text + "        [:]\n    }\n" }
        text += "        func names<Object: \(naming)>(_: Object.Type) -> \(keyPathTable) {\n"
        text += "            var names: \(keyPathTable) = [:]\n"
        for property in properties {
            text += "            names[\\Object.\(names.property(property, of: entity))] = \(literal(property))\n"
        }
        text += "            return names\n        }\n"
        return text
            + "        return (type as? any (\(naming)).Type).map { names($0) } ?? [:]\n    }\n"
    }

    /// The conformances of the whole class hierarchy.
    private var conformances: String {
        let entities = model.entities.filter { $0.isKind(of: entity) && generator.isGenerated($0) }
        let classes = entities.compactMap { names.classes[$0.name] }
        var text = "\nextension \(className): \(names.folio("_KeyPathDeclaring")) {\n"
        text +=
            "    \(access)static var _keyPathTables: [(\(names.folio("ManagedObject")).Type) -> \(keyPathTable)] {\n        ["
        text += classes.map { "\($0).\(Self.keyPaths(of: $0))" }.joined(separator: ", ") + "]\n    }\n"
        let renamed = entities.compactMap { entity in
            names.classes[entity.name].flatMap {
                $0 == entity.name ? nil : "\(self.names.swift("ObjectIdentifier"))(\($0).self): \(literal(entity.name))"
            }
        }
        if !renamed.isEmpty {
            text +=
                "    \(access)static var _entityNames: [\(names.swift("ObjectIdentifier")): \(names.swift("String"))] {\n        ["
            text += renamed.joined(separator: ", ") + "]\n    }\n"
        }
        text += "}\n"
        // An attribute named `id` identifies the object if its type allows that.
        let hasUnfitID = model.entities.contains { other in
            other.isKind(of: entity)
                && (other.definition.attributes.contains { $0.name == "id" && SwiftType($0, names).typed == nil }
                    || other.definition.relationships.contains { $0.name == "id" && $0.isToMany }
                    || other.definition.fetchedProperties.contains { $0.name == "id" })
        }
        if !hasUnfitID { text += "\nextension \(className): \(names.swift("Identifiable")) {}\n" }
        if generator.isCodable { text += "\nextension \(className): \(names.folio("CodableObject")) {}\n" }
        return text
    }
}

/// The `documentation` entry of the user info as a comment.
func documentation(_ userInfo: [String: String], indent: String) -> String {
    guard let text = userInfo["documentation"], !text.isEmpty else { return "" }
    return text.split(whereSeparator: \.isNewline).map { "\(indent)/// \($0)\n" }.joined()
}

/// A string literal with any text.
func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\" + String(scalar)
        case "\u{20}"..."\u{7E}": result.unicodeScalars.append(scalar)
        default:
            if scalar.properties.isAlphabetic {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }
    return result + "\""
}
