import Schema

/// Members of deleted objects that the store has to find and delete.
struct MemberDeletion {
    /// The cascading relationship of the owners.
    let relation: EntityShape.Relation
    let owners: [ManagedObject]
    let keys: Set<Int64>
    let inverse: Int

    var destination: Int { relation.property.destinationIndex }
}
