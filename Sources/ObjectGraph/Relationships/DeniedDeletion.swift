package import Schema

/// A deletion that is denied and was committed all the same, by an autosave: the object is gone,
/// and whoever saves has to know by what rule it should be there.
package struct DeniedDeletion: Sendable {
    /// An object that denies the deletion, and its to-one relationship that led to the deleted
    /// object; nil for one to many.
    package struct Holder: Sendable {
        package let objectID: ManagedObjectID
        package let propertyName: String?

        package init(_ objectID: ManagedObjectID, propertyName: String?) {
            (self.objectID, self.propertyName) = (objectID, propertyName)
        }
    }

    package let objectID: ManagedObjectID
    /// Empty where a rule of the application's own denies it.
    package let holders: [Holder]
    package let failures: [ValidationError.Failure]

    /// So many are enough to tell whether a deletion is denied, and few enough to be noted beside
    /// the objects.
    private static let mostHolders = 1_000

    package init(_ objectID: ManagedObjectID, holders: [Holder], failures: [ValidationError.Failure]) {
        (self.objectID, self.holders, self.failures) = (objectID, holders, failures)
    }

    init(_ object: ManagedObject, _ failures: [ValidationError.Failure]) {
        let keys = Set(failures.lazy.filter { $0.code == .deleteDenied }.compactMap(\.key))
        let holders = object.shape.relations.flatMap { relation -> [Holder] in
            guard let relation, keys.contains(relation.property.name) else { return [] }
            let inverse = relation.inverse.flatMap { $0.isToMany ? nil : relation.description.inverseName }
            return object.context.members.targets(object, relation).filter { !$0.isDeleted }.map {
                Holder($0.objectID, propertyName: inverse)
            }
        }
        self.init(object.objectID, holders: Array(holders.prefix(Self.mostHolders)), failures: failures)
    }

    /// Whether the object is still gone and what denies it still there, without leading to another
    /// object. Reads what the context does not know.
    package func isStanding(in context: ManagedObjectContext) throws -> Bool {
        guard try Self.object(objectID, context) == nil else { return false }
        return try holders.isEmpty
            || holders.contains { holder in
                guard let object = try Self.object(holder.objectID, context) else { return false }
                guard let name = holder.propertyName, case .object(let other) = try object.propertyValue(forKey: name)
                else { return true }
                return other == objectID
            }
    }

    private static func object(_ id: ManagedObjectID, _ context: ManagedObjectContext) throws -> ManagedObject? {
        do { return try context.existingObject(with: id) } catch let error as GraphError
            where error.code == .objectNotFound
        { return nil }
    }
}
