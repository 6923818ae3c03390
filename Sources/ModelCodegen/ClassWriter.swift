import Schema

/// Writes the class of one entity.
struct ClassWriter {
    let entity: Entity
    let className: String
    let model: ManagedObjectModel
    let names: SwiftNames
    let generator: CodeGenerator

    private var access: String { generator.accessLevel.prefix }

    /// The class itself, for its users to fill.
    var classText: String {
        // A class that is open to inheritance in the model is so in Swift.
        let isFinal = !model.entities.contains { $0 !== entity && $0.isKind(of: entity) && names.classes[$0.name] != nil }
        let keyword = isFinal ? "final class" : "class"
        let opened = !isFinal && generator.accessLevel == .public ? "open class" : access + keyword
        let superclass = names.objectType(entity.superentity)
        // A class is as visible as what it inherits from.
        var text = "\(superclass == "ManagedObject" ? access : "")import Folio\n\n" + comment(entity.description.userInfo, indent: "")
        text += "\(opened) \(className): \(superclass) {\n}\n"
        return text
    }

    /// The properties, in order of their names.
    var propertiesText: String {
        var text = "// Generated from the model: changes made here are lost.\n"
        text += "\(access)import Folio\n\(usesFoundation ? "\(access)import Foundation\n" : "")\nextension \(className) {\n"
        text += fetchRequest
        for attribute in entity.description.attributes { text += "\n" + property(attribute) }
        for relationship in entity.description.relationships { text += "\n" + property(relationship) }
        text += "}\n"
        for relationship in entity.description.relationships where relationship.isToMany { text += "\n" + accessors(relationship) }
        return text
    }

    private var fetchRequest: String {
        "    \(access)static func fetchRequest() -> FetchRequest<\(className)> { FetchRequest(\(literal(entity.name))) }\n"
    }

    // MARK: Properties

    private var usesFoundation: Bool { entity.description.attributes.contains { SwiftType($0).isOfFoundation } }

    private func property(_ attribute: AttributeDescription) -> String {
        let type = SwiftType(attribute)
        let name = SwiftNames.property(attribute.name)
        var text = comment(attribute.userInfo, indent: "    ")
        guard let value = type.typed else {
            text += "    \(access)var \(name): \(type.text) {\n"
            text += "        get { self[\(literal(attribute.name))]\(type.cast) }\n"
            if !attribute.isDerived { text += "        set { self[\(literal(attribute.name))] = newValue }\n" }
            return text + "    }\n"
        }
        let handle = SwiftNames.handle(attribute.name)
        let place = type.isScalar ? "[required: Self.\(handle)]" : "[Self.\(handle)]"
        text += "    \(access)var \(name): \(type.text) {\n        get { self\(place) }\n"
        // The store computes a derived value; one that is set would be lost.
        if !attribute.isDerived { text += "        set { self\(place) = newValue }\n" }
        text += "    }\n"
        return text + "    \(access)static let \(handle) = TypedAttribute<\(value)>(\(literal(attribute.name)))\n"
    }

    private func property(_ relationship: RelationshipDescription) -> String {
        let destination = names.objectType(model.entity(named: relationship.destinationEntityName))
        let handle = SwiftNames.handle(relationship.name)
        let type = relationship.isToMany ? "ManagedObjects<\(destination)>" : "\(destination)?"
        let keeper = relationship.isToMany ? "TypedToMany<ManagedObjects<\(destination)>>" : "TypedToOne<\(destination)>"
        var text = comment(relationship.userInfo, indent: "    ")
        text += "    \(access)var \(SwiftNames.property(relationship.name)): \(type) {\n"
        text += "        get { self[Self.\(handle)] }\n        set { self[Self.\(handle)] = newValue }\n    }\n"
        return text + "    \(access)static let \(handle) = \(keeper)(\(literal(relationship.name)))\n"
    }

    // MARK: To-many accessors

    private func accessors(_ relationship: RelationshipDescription) -> String {
        let destination = names.objectType(model.entity(named: relationship.destinationEntityName))
        let suffix = SwiftNames.capitalized(relationship.name)
        let handle = "Self." + SwiftNames.handle(relationship.name)
        var text = "extension \(className) {\n"
        text += "    \(access)func addTo\(suffix)(_ value: \(destination)) { add(value, to: \(handle)) }\n"
        text += "    \(access)func removeFrom\(suffix)(_ value: \(destination)) { remove(value, from: \(handle)) }\n"
        text += "    \(access)func addTo\(suffix)(_ values: some Sequence<\(destination)>) { add(values, to: \(handle)) }\n"
        text += "    \(access)func removeFrom\(suffix)(_ values: some Sequence<\(destination)>) { remove(values, from: \(handle)) }\n"
        if relationship.isOrdered {
            let property = SwiftNames.property(relationship.name)
            text += "    \(access)func insertInto\(suffix)(_ value: \(destination), at idx: Int) { insert(value, into: \(handle), at: idx) }\n"
            text += "    \(access)func removeFrom\(suffix)(at idx: Int) { remove(\(property)[idx], from: \(handle)) }\n"
            text += "    \(access)func replace\(suffix)(at idx: Int, with value: \(destination)) {\n"
            text += "        removeFrom\(suffix)(at: idx)\n        insertInto\(suffix)(value, at: idx)\n    }\n"
        }
        return text + "}\n"
    }

    // MARK: Text

    /// The model's `documentation` entry as a comment.
    private func comment(_ userInfo: [String: String], indent: String) -> String {
        guard let text = userInfo["documentation"], !text.isEmpty else { return "" }
        return text.split(whereSeparator: \.isNewline).map { "\(indent)/// \($0)\n" }.joined()
    }
}

/// A string literal of any text.
func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\" + String(scalar)
        case "\u{20}"..."\u{7E}": result.unicodeScalars.append(scalar)
        default:
            if scalar.properties.isAlphabetic { result.unicodeScalars.append(scalar) } else { result += "\\u{\(String(scalar.value, radix: 16))}" }
        }
    }
    return result + "\""
}
