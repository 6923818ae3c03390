import Foundation
import ModelFiles
import ObjectGraph
import Query
import Schema

/// What archives keep of a model: the model as files have it, and what these don't have.
private struct ModelArchive: Codable {
    /// A predicate of a property, with its warning.
    struct Rule: Codable {
        let entity: String
        let property: String
        let format: String
        let warning: String?
    }

    private let compiled: Data
    private let rules: [Rule]
    private let texts: [String: String]?

    /// - Throws: `ModelError` for a model that is not valid, `QueryError` for a predicate of a
    ///   closure.
    init(_ model: NSManagedObjectModel) throws {
        compiled = try CompiledModel.encode(ManagedObjectModel(model.definition()))
        rules = try model.ownEntities.flatMap { entity in
            try entity.content.properties.flatMap { property in
                try (property.ownRules ?? []).map { rule in
                    Rule(
                        entity: entity.name ?? "", property: property.name,
                        format: try rule.predicate.fetchPredicate().predicateFormat, warning: rule.warning as? String)
                }
            }
        }
        texts = model.localizationDictionary
    }

    /// Fills a new model.
    ///
    /// - Throws: `ModelError`, `QueryError` for what can't be read.
    func fill(_ model: NSManagedObjectModel) throws {
        try model.fill(CompiledModel.decode(compiled).definition)
        model.localizationDictionary = texts
        let entities = model.entitiesByName
        for rule in rules {
            let property = entities[rule.entity]?.propertiesByName[rule.property]
            property?.ownRules =
                (property?.ownRules ?? []) + [
                    PropertyRule(
                        predicate: FormatPredicate.make(try FetchPredicate(format: rule.format)), warning: rule.warning)
                ]
        }
    }

    /// The model in a file that an archiver of the program wrote: a `.mom`, or a `.momd` with one.
    /// Nil for other files.
    init?(contentsOf url: URL) {
        let list = try? Data(contentsOf: url.appendingPathComponent("VersionInfo.plist"))
        let info = list.flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) } as? [String: Any]
        let file = (info?["NSManagedObjectModel_CurrentVersionName"] as? String).map {
            url.appendingPathComponent($0).appendingPathExtension("mom")
        }
        guard let bytes = try? Data(contentsOf: file ?? url),
            let archive = try? PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any],
            let objects = archive["$objects"] as? [Any]
        else { return nil }
        let found = objects.lazy.compactMap { object in
            (object as? Data ?? (object as? [String: Any])?["NS.data"] as? Data).flatMap {
                try? JSONDecoder().decode(ModelArchive.self, from: $0)
            }
        }
        guard let first = found.first else { return nil }
        self = first
    }
}

private let modelKey = "FolioModel"
private let entityKey = "FolioEntity"
private let propertyKey = "FolioProperty"
private let looseKey = "FolioLooseName"
private let looseTargetKey = "FolioLooseDestination"

extension NSManagedObjectModel {
    /// Traps for a model that can't be archived, as it does where a coordinator gets it.
    func archive(with coder: NSCoder) {
        do { coder.encode(try JSONEncoder().encode(ModelArchive(self)) as NSData, forKey: modelKey) } catch {
            preconditionFailure("The model can't be archived: \(error)")
        }
    }

    /// Fills a new model; false for an archive that has none.
    func fill(from coder: NSCoder) -> Bool {
        guard coder.containsValue(forKey: modelKey), let data = coder.decodeObject(of: NSData.self, forKey: modelKey),
            let archive = try? JSONDecoder().decode(ModelArchive.self, from: data as Data)
        else { return false }
        return (try? archive.fill(self)) != nil
    }

    /// Fills a new model from a file that an archiver of the program wrote; false for other files.
    ///
    /// - Throws: `ModelError`, `QueryError` for what can't be read.
    func fill(fromArchiveAt url: URL) throws -> Bool {
        guard let archive = ModelArchive(contentsOf: url) else { return false }
        try archive.fill(self)
        return true
    }
}

extension NSEntityDescription {
    /// Archives the model, or the entities that an entity without one leads to, and the name.
    func archive(with coder: NSCoder) {
        archivedModel.archive(with: coder)
        coder.encode((name ?? "") as NSString, forKey: entityKey)
    }

    private var archivedModel: NSManagedObjectModel {
        if let model = content.model { return model }
        var found: [NSEntityDescription] = [], pending = [self]
        while let next = pending.popLast() {
            guard !found.contains(where: { $0.content === next.content }) else { continue }
            found.append(next)
            pending += next.content.subentities
            if let parent = next.superentity { pending.append(parent) }
            pending += next.content.properties.compactMap { ($0 as? NSRelationshipDescription)?.destinationEntity }
        }
        let model = NSManagedObjectModel()
        model.ownEntities = found
        return model
    }

    /// The entity in an archive and its model; nil for an archive that has none.
    static func archived(in coder: NSCoder) -> (entity: NSEntityDescription, model: NSManagedObjectModel)? {
        let model = NSManagedObjectModel()
        guard model.fill(from: coder), let name = coder.text(entityKey), let found = model.entitiesByName[name] else {
            return nil
        }
        return (found, model)
    }
}

extension NSPropertyDescription {
    /// Archives the property with its entity. One of no entity gets one, so that the model is
    /// valid.
    func archive(with coder: NSCoder) {
        if let owner {
            owner.archive(with: coder)
            coder.encode(name as NSString, forKey: propertyKey)
            return
        }
        let holder = NSEntityDescription(), copy = duplicate()
        (holder.name, copy.name) = ("Holder", "part")
        if let copy = copy as? NSRelationshipDescription {
            coder.encode(copy.relationship.destinationEntityName as NSString, forKey: looseTargetKey)
            (copy.relationship.destinationEntityName, copy.relationship.inverseName) = ("Holder", nil)
        }
        holder.content.properties = [copy]
        holder.archive(with: coder)
        coder.encode("part" as NSString, forKey: propertyKey)
        coder.encode(name as NSString, forKey: looseKey)
    }

    /// Takes over what an archive has; false if that is no property of the same kind.
    func fill(from coder: NSCoder) -> Bool {
        guard let (entity, model) = NSEntityDescription.archived(in: coder), let name = coder.text(propertyKey),
            let found = entity.content.properties.first(where: { $0.name == name }),
            type(of: found.declaration) == type(of: declaration)
        else { return false }
        take(found)
        let relationship = self as? NSRelationshipDescription
        if let loose = coder.text(looseKey) {
            declaration.name = loose
            relationship?.relationship.destinationEntityName = coder.text(looseTargetKey) ?? ""
            return true
        }
        // The model keeps its own description of the property: it is held by this one.
        (owner, heldModel) = (entity, model)
        relationship?.resolve(model.entitiesByName)
        return true
    }
}

extension NSCoder {
    /// A text; nil for a key that there is not, which Foundation's unarchiver takes for damage.
    func text(_ key: String) -> String? {
        containsValue(forKey: key) ? decodeObject(of: NSString.self, forKey: key) as String? : nil
    }
}
