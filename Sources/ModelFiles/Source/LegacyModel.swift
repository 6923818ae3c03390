internal import Coding
package import Foundation
package import Schema

/// Reads `elements`, the archive in which Xcode 3 saved a model. Mapping models contain the same
/// archive.
///
/// Its objects are those of the model editor. The settings of an entity or a property are in
/// “stereotypes”, each a dictionary of named default values.
package struct LegacyModel {
    private var faults: [ModelError.Fault] = []
    private var readsValues = true
    /// What is passed over.
    private var warnings: [ModelError.Fault] = []

    /// Decodes a model.
    ///
    /// - Parameter readsValues: Whether defaults and bounds must be values of their types. In a
    ///   mapping model they mean nothing, and dates are written as the editor showed them.
    /// - Throws: `ModelError.unreadable` if the data are not such an archive, `invalid` with all
    ///   errors in the model.
    package static func decode(_ data: Data, path: String? = nil, readsValues: Bool = true) throws(ModelError)
        -> ManagedObjectModel
    {
        var reader = LegacyModel()
        reader.readsValues = readsValues
        let description: ManagedObjectModel.Definition
        do {
            description = try reader.description(try KeyedArchive(data).root())
        } catch {
            throw ModelError(.unreadable, "The model can't be read: \(error)", path: path)
        }
        return try ManagedObjectModel(description, faults: reader.faults, warnings: reader.warnings, path: path)
    }

    private mutating func description(_ root: ArchivedObject) throws -> ManagedObjectModel.Definition {
        guard root.className == "XDPMModel" else {
            throw CodingError(.wrongType, "the archive holds \(root.className ?? "a value"), not XDPMModel")
        }
        var description = ManagedObjectModel.Definition()
        if let identifier = try root.string("_modelVersionIdentifier") { description.versionIdentifiers = [identifier] }
        let package = try root.required("_xd_rootPackage")
        for (_, object) in try package.object("XDBucketForClassesstorage")?.namedEntries() ?? [] {
            if let object, object.className == "XDPMEntity" { description.entities.append(try entity(object)) }
        }
        for (name, members) in try root.object("_configurationsByName")?.namedEntries() ?? [] {
            var names: [String] = []
            for member in try members?.elements() ?? [] {
                if let member, let entity = try member.string ?? member.string("_name") { names.append(entity) }
            }
            description.configurations[name] = names
        }
        return description
    }

    private mutating func entity(_ object: ArchivedObject) throws -> EntityDefinition {
        let traits = try Traits(object, stereotypes: ["XD_PStereotype"])
        var entity = EntityDefinition(try object.string("_name") ?? "")
        let className = traits.string("XD_PSK_entityClassName")
        entity.managedObjectClassName = className == "NSManagedObject" || className == "" ? nil : className
        let ownFlag = try object.boolean("_isAbstract")
        entity.isAbstract = traits.boolean("XD_PSK_isAbstract") || ownFlag
        let identifier = traits.string("XD_PSK_elementID")
        entity.renamingIdentifier = identifier == entity.name || identifier == "" ? nil : identifier
        entity.versionHashModifier = traits.string("XD_PSK_versionHashModifier")
        entity.userInfo = try traits.userInfo("XD_PSK_userInfo")
        entity.compoundIndexes = try traits.lists("XDPMCompoundIndexes")
        entity.uniquenessConstraints = try traits.lists("XDPMUniquenessConstraints")
        for generalization in try object.object("XDBucketForGeneralizationsstorage")?.elements() ?? [] {
            entity.superentityName = try generalization?.object("_general")?.string("_name")
        }
        for (_, property) in try object.object("XDBucketForOwnedAttributesstorage")?.namedEntries() ?? [] {
            switch property?.className {
            case "XDPMAttribute": if let property { entity.attributes.append(try attribute(property, of: entity.name)) }
            case "XDPMRelationship": if let property { entity.relationships.append(try relationship(property)) }
            default:
                faults.append(
                    ModelError.Fault(
                        entity: entity.name, message: "a property of the unknown kind “\(property?.className ?? "nil")”"
                    ))
            }
        }
        return entity
    }

    private mutating func attribute(_ object: ArchivedObject, of owner: String) throws -> AttributeDescription {
        let traits = try Traits(object, stereotypes: ["XD_PAtt_Stereotype", "XD_PPropStereotype"])
        let name = try object.string("_name") ?? ""
        let code = Int(traits.integer("XD_PAttK_attributeType") ?? 0)
        let type = AttributeType(rawValue: code) ?? .undefined
        if AttributeType(rawValue: code) == nil { report("the attribute type \(code) is not known", owner, name) }
        var attribute = AttributeDescription(name, type)
        attribute.isOptional = traits.boolean("XD_PPSK_isOptional")
        attribute.isTransient = traits.boolean("XD_PPSK_isTransient")
        attribute.isIndexed = traits.boolean("XD_PPSK_isIndexed")
        attribute.isIndexedBySpotlight = traits.boolean("XD_PPSK_isSpotlightIndexed")
        if traits.boolean("XD_PPSK_isStoredInTruthFile") { attribute.extraMarkup["storedInTruthFile"] = "YES" }
        attribute.allowsExternalBinaryDataStorage = traits.boolean("XD_PAttK_allowsExternalBinaryDataStorage")
        let boundType = type == .string ? .integer64 : type
        attribute.defaultValue = value(traits.string("XD_PAttK_defaultValueAsString"), type, owner, name)
        attribute.minimumValue = value(traits.string("XD_PAttK_minValueString"), boundType, owner, name)
        attribute.maximumValue = value(traits.string("XD_PAttK_maxValueString"), boundType, owner, name)
        attribute.regularExpression = traits.text("XD_PAttK_regularExpressionString")
        attribute.valueTransformerName = traits.text("XD_PAttK_valueTransformerName")
        attribute.renamingIdentifier = traits.text("XD_PPSK_elementID").flatMap { $0 == name ? nil : $0 }
        attribute.versionHashModifier = traits.text("XD_PPSK_versionHashModifier")
        attribute.userInfo = try traits.userInfo("XD_PPSK_userInfo")
        return attribute
    }

    private func relationship(_ object: ArchivedObject) throws -> RelationshipDescription {
        let traits = try Traits(object, stereotypes: ["XD_PR_Stereotype", "XD_PPropStereotype"])
        let name = try object.string("_name") ?? ""
        var relationship = RelationshipDescription(
            name, to: try traits.object("XD_PRK_destination")?.string("_name") ?? "")
        relationship.inverseName = try traits.object("XD_PRK_inverseRelationship")?.string("_name")
        let isToMany = traits.has("XD_PRK_isToMany") ? traits.boolean("XD_PRK_isToMany") : nil
        let count = Int(traits.integer("XD_PRK_maxCount") ?? (isToMany == true ? 0 : 1))
        relationship.maxCount = isToMany == true && count == 1 ? 0 : isToMany == false ? 1 : count
        relationship.minCount = Int(traits.integer("XD_PRK_minCount") ?? 0)
        relationship.deleteRule = DeleteRule(rawValue: Int(traits.integer("XD_PRK_deleteRule") ?? 1)) ?? .nullify
        relationship.isOrdered = traits.boolean("XD_PRK_ordered")
        relationship.isOptional = traits.boolean("XD_PPSK_isOptional")
        relationship.isTransient = traits.boolean("XD_PPSK_isTransient")
        relationship.isIndexed = traits.boolean("XD_PPSK_isIndexed")
        relationship.renamingIdentifier = traits.text("XD_PPSK_elementID").flatMap { $0 == name ? nil : $0 }
        relationship.versionHashModifier = traits.text("XD_PPSK_versionHashModifier")
        relationship.userInfo = try traits.userInfo("XD_PPSK_userInfo")
        return relationship
    }

    private mutating func value(_ text: String?, _ type: AttributeType, _ owner: String, _ name: String)
        -> PropertyValue?
    {
        guard let text, type == .string || !text.isEmpty else { return nil }
        if let value = ValueText.value(text, type) { return value }
        if readsValues, ![.undefined, .transformable, .objectID, .composite].contains(type) {
            warnings.append(
                ModelError.Fault(
                    entity: owner, property: name, message: "“\(text)” is no value of type \(type.name): there is none")
            )
        }
        return nil
    }

    private mutating func report(_ message: String, _ entity: String, _ property: String) {
        faults.append(ModelError.Fault(entity: entity, property: property, message: message))
    }
}

/// The default values in the stereotypes of one object.
private struct Traits {
    private var values: [String: ArchivedObject] = [:]

    init(_ owner: ArchivedObject, stereotypes: [String]) throws {
        for (name, stereotype) in try owner.object("XDBucketForStereotypesstorage")?.namedEntries() ?? []
        where stereotypes.contains(name) {
            for (key, property) in try stereotype?.object("XDBucketForOwnedAttributesstorage")?.namedEntries() ?? [] {
                if let value = try property?.object("_default") { values[key] = value }
            }
        }
    }

    func has(_ key: String) -> Bool { values[key] != nil }
    func object(_ key: String) -> ArchivedObject? { values[key] }
    func string(_ key: String) -> String? { values[key]?.string }
    func text(_ key: String) -> String? { values[key]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    func integer(_ key: String) -> Int64? { values[key]?.number?.integer }
    func boolean(_ key: String) -> Bool { values[key]?.number?.boolean ?? false }

    func userInfo(_ key: String) throws -> [String: String] {
        var result: [String: String] = [:]
        for (name, value) in try values[key]?.namedEntries() ?? [] { result[name] = value?.string ?? "" }
        return result
    }

    /// Reads lists of names. Each list is an array of strings, or a string with commas.
    func lists(_ key: String) throws -> [[String]] {
        var result: [[String]] = []
        for element in try values[key]?.elements() ?? [] {
            if let text = element?.string {
                result.append(
                    text.split(separator: ",").map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init))
            } else {
                result.append(try element?.elements()?.compactMap { $0?.string } ?? [])
            }
        }
        return result
    }
}
