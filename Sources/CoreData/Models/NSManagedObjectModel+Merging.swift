public import Foundation
import Schema

extension NSManagedObjectModel {
    /// A model with the entities of several, which are none for an empty array; nil for nil. Traps
    /// if two differ about an entity.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models else { return nil }
        self.init()
        if models.isEmpty { return }
        do {
            take(models, try ManagedObjectModel(byMerging: models.map { $0.compiled() }).definition)
        } catch {
            preconditionFailure("The models can't be merged: \(error)")
        }
    }

    /// The one of several models, merged, that fits a store's metadata; nil if none does.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        let hashes = StoreMetadataValues.hashes(metadata)
        let fitting = models.filter { model in
            let own = model.entityVersionHashesByName
            return !own.isEmpty && own.allSatisfy { hashes[$0.key] == $0.value }
        }
        if fitting.isEmpty { return nil }
        self.init(byMerging: fitting)
        guard isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else { return nil }
    }

    /// Takes copies of what several models have. Their entities of equal names are equal: the first
    /// one's is taken.
    private func take(_ models: [NSManagedObjectModel], _ description: ManagedObjectModel.Definition) {
        var names: Set<String> = []
        var texts: [String: String] = [:]
        for model in models {
            for entity in model.ownEntities where names.insert(entity.name ?? "").inserted {
                if let copy = entity.copy() as? NSEntityDescription { ownEntities.append(copy) }
            }
            for (name, template) in model.templates where templates[name] == nil {
                templates[name] = template.copy() as? NSFetchRequest<any NSFetchRequestResult>
            }
            texts.merge(model.localizationDictionary ?? [:]) { first, _ in first }
        }
        if models.contains(where: { $0.localizationDictionary != nil }) { localizationDictionary = texts }
        connect(description)
    }
}

extension NSManagedObjectModel: NSCopying {
    /// A model of its own that can be changed.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        copy.take([self], compiled().definition)
        return copy
    }
}
