internal import Coding
internal import Foundation
internal import Schema

/// Reads `contents`, the XML file of an `.xcdatamodel`.
struct ContentsReader {
    var faults: [ModelError.Fault] = []
    /// What is passed over.
    var warnings: [ModelError.Fault] = []

    static func read(_ data: Data, path: String?) throws(ModelError) -> ManagedObjectModel {
        let root: XMLTree
        do {
            root = try XMLTree.read(data)
        } catch {
            throw ModelError(.unreadable, "The model can't be read: \(error)", path: path)
        }
        guard root.name == "model" else {
            throw ModelError(.unreadable, "The file holds “\(root.name)”, not a model", path: path)
        }
        var reader = ContentsReader()
        let description = reader.description(root)
        return try ManagedObjectModel(description, faults: reader.faults, warnings: reader.warnings, path: path)
    }

    mutating func report(_ message: String, _ entity: String? = nil, _ property: String? = nil) {
        faults.append(ModelError.Fault(entity: entity, property: property, message: message))
    }

    mutating func warn(_ message: String, _ entity: String? = nil, _ property: String? = nil) {
        warnings.append(ModelError.Fault(entity: entity, property: property, message: message))
    }

    // MARK: Model

    private mutating func description(_ root: XMLTree) -> ManagedObjectModel.Definition {
        var description = ManagedObjectModel.Definition()
        var fields = MarkupFields(root)
        if let identifier = fields.take("userDefinedModelVersionIdentifier") {
            description.versionIdentifiers = [identifier]
        }
        if let more = fields.text(ContentsWriter.furtherIdentifiers) {
            description.versionIdentifiers += more.split(separator: "\n").map(String.init)
        }
        if fields.rest["type"] == ContentsWriter.type { _ = fields.take("type") }
        if fields.rest["documentVersion"] == ContentsWriter.documentVersion { _ = fields.take("documentVersion") }
        description.extraMarkup = fields.rest
        for element in root.children {
            switch element.name {
            case "entity": description.entities.append(entity(element))
            case "composite":
                let name = element["name"] ?? ""
                description.composites.append(
                    CompositeDescription(
                        name, attributes: element.children(named: "attribute").map { attribute($0, of: name) }))
            case "fetchRequest": description.fetchRequestTemplates.append(fetchRequest(element))
            case "configuration":
                let name = element["name"] ?? ""
                if description.configurations[name] != nil { warn("there are two configurations called “\(name)”") }
                description.configurations[name, default: []] += element.children(named: "memberEntity").compactMap {
                    $0["name"]
                }
            case "elements":
                description.diagram = element.children(named: "element").map { MarkupFields($0).rest }
            default: break
            }
        }
        checkInverseEntities(root, description)
        return description
    }

    private mutating func entity(_ element: XMLTree) -> EntityDefinition {
        var fields = MarkupFields(element)
        let name = fields.take("name") ?? ""
        var entity = EntityDefinition(name)
        entity.managedObjectClassName = fields.text("representedClassName").flatMap {
            $0 == "NSManagedObject" ? nil : $0
        }
        entity.superentityName = fields.text("parentEntity")
        entity.isAbstract = fields.flag("isAbstract")
        entity.renamingIdentifier = fields.text("elementID").flatMap { $0 == name ? nil : $0 }
        entity.versionHashModifier = fields.text("versionHashModifier")
        entity.extraMarkup = fields.rest
        for child in element.children {
            switch child.name {
            case "attribute": entity.attributes.append(attribute(child, of: name))
            case "relationship": entity.relationships.append(relationship(child, of: name))
            case "fetchedProperty": entity.fetchedProperties.append(fetchedProperty(child, of: name))
            case "fetchIndex": entity.indexes.append(fetchIndex(child))
            case "compoundIndexes":
                entity.compoundIndexes += child.children(named: "compoundIndex").map {
                    $0.children(named: "index").compactMap { $0["value"] }
                }
            case "uniquenessConstraints":
                entity.uniquenessConstraints += child.children(named: "uniquenessConstraint").map {
                    $0.children(named: "constraint").compactMap { $0["value"] }
                }
            case "userInfo": entity.userInfo = userInfo(child)
            default: break
            }
        }
        return entity
    }

    func userInfo(_ element: XMLTree) -> [String: String] {
        Dictionary(
            element.children(named: "entry").map { ($0["key"] ?? "", $0["value"] ?? "") },
            uniquingKeysWith: { _, last in last })
    }

    /// Checks the entities of inverse relationships, which the file names, too. Descriptions don't
    /// contain them, so a contradiction is found here.
    private mutating func checkInverseEntities(_ root: XMLTree, _ description: ManagedObjectModel.Definition) {
        let parents = Dictionary(
            description.entities.map { ($0.name, $0.superentityName) }, uniquingKeysWith: { first, _ in first })
        func ancestors(_ name: String) -> Set<String> {
            var seen: Set<String> = []
            var next: String? = name
            while let current = next, seen.insert(current).inserted { next = parents[current] ?? nil }
            return seen
        }
        for element in root.children(named: "entity") {
            for relationship in element.children(named: "relationship") {
                guard let inverse = relationship["inverseEntity"], !inverse.isEmpty,
                    let destination = relationship["destinationEntity"]
                else { continue }
                if parents[inverse] == nil {
                    warn(
                        "its inverse entity “\(inverse)” is no entity of the model", element["name"],
                        relationship["name"])
                } else if !ancestors(destination).contains(inverse), !ancestors(inverse).contains(destination) {
                    warn(
                        "its inverse belongs to \(inverse), its destination is \(destination)", element["name"],
                        relationship["name"])
                }
            }
        }
    }
}
