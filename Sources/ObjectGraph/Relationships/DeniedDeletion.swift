package import Schema

/// A deletion that a delete rule denies, but that an autosave committed: the object no longer
/// exists, and the next explicit save has to report the violated rule.
package struct DeniedDeletion: Sendable {
    /// An object that denies the deletion, and the name of its to-one relationship to the deleted
    /// object; nil for a to-many relationship.
    package struct Holder: Sendable {
        package let objectID: ManagedObjectID
        package let propertyName: String?

        package init(_ objectID: ManagedObjectID, propertyName: String?) {
            (self.objectID, self.propertyName) = (objectID, propertyName)
        }
    }

    package let objectID: ManagedObjectID
    /// Empty if a validation method of the application denies the deletion.
    package let holders: [Holder]
    package let failures: [ValidationError.Failure]

    /// The maximum number of holders. It is enough to tell whether a deletion is denied, and small
    /// enough to be stored next to the objects.
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

    /// Whether the deletion is still denied: the object does not exist, and a holder exists that
    /// does not refer to another object. Reads unregistered objects from the store.
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
