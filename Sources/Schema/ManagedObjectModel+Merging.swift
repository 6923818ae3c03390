extension ManagedObjectModel {
    /// Creates a model that contains the entities, composites, configurations and fetch requests of
    /// several models.
    ///
    /// An entity, composite or fetch request may occur in several of the models if its definitions
    /// are equal. A configuration gets the entities that any of the models assigns to it.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(byMerging: [contacts, calendar])
    /// ```
    /// - Throws: ``ModelError`` with code `mergeConflict`, listing every name that two models
    ///   define differently; `invalid` if the merged model is not valid.
    public convenience init(byMerging models: [ManagedObjectModel]) throws(ModelError) {
        var merged = Definition()
        var faults: [ModelError.Fault] = []
        var entities: [String: EntityDefinition] = [:]
        var composites: [String: CompositeDescription] = [:]
        var requests: [String: FetchRequestTemplate] = [:]
        for model in models.map(\.definition) {
            for entity in model.entities {
                if let known = entities.updateValue(entity, forKey: entity.name), known != entity {
                    faults.append(
                        ModelError.Fault(entity: entity.name, message: "the models say different things of this entity")
                    )
                }
            }
            for composite in model.composites {
                if let known = composites.updateValue(composite, forKey: composite.name), known != composite {
                    faults.append(
                        ModelError.Fault(
                            entity: composite.name, message: "the models say different things of this composite"))
                }
            }
            for request in model.fetchRequestTemplates {
                if let known = requests.updateValue(request, forKey: request.name), known != request {
                    faults.append(
                        ModelError.Fault(message: "the models have different fetch requests called “\(request.name)”"))
                }
            }
            for (name, members) in model.configurations {
                let known = merged.configurations[name] ?? []
                merged.configurations[name] = known + members.filter { !known.contains($0) }
            }
            merged.versionIdentifiers += model.versionIdentifiers.filter { !merged.versionIdentifiers.contains($0) }
            merged.extraMarkup.merge(model.extraMarkup) { first, _ in first }
            merged.diagram += model.diagram.filter { !merged.diagram.contains($0) }
        }
        guard faults.isEmpty else { throw ModelError(.mergeConflict, "The models can't become one", faults: faults) }
        merged.entities = Array(entities.values)
        merged.composites = Array(composites.values)
        merged.fetchRequestTemplates = Array(requests.values)
        try self.init(merged)
    }
}
