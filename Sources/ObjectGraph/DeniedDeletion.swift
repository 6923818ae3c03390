import Schema

/// A deletion that is denied and was committed all the same, by an autosave: the object is gone, and whoever saves has to know by what rule it should be there.
package struct DeniedDeletion {
    private let object: ManagedObject
    /// The objects that deny it; empty where a rule of the application's own does.
    private let holders: [ManagedObject]
    package let failures: [ValidationError.Failure]

    init(_ object: ManagedObject, _ failures: [ValidationError.Failure]) {
        self.object = object
        self.failures = failures
        let keys = Set(failures.lazy.filter { $0.code == .deleteDenied }.compactMap(\.key))
        holders = object.shape.relations.flatMap { relation -> [ManagedObject] in
            guard let relation, keys.contains(relation.property.name) else { return [] }
            return object.context.targets(object, relation).filter { !$0.isDeleted }
        }
    }

    /// Whether the object is still gone and what denies it still there.
    package var isStanding: Bool {
        object.contextReference == nil && (holders.isEmpty || holders.contains { $0.contextReference != nil && !$0.isDeleted })
    }
}
