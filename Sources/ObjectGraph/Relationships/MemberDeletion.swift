import Schema

/// Members of deleted objects that the store is to find and delete by itself.
struct MemberDeletion {
    /// The relationship that takes them along.
    let relation: EntityShape.Relation
    let owners: [ManagedObject]
    let keys: Set<Int64>
    let inverse: Int

    var destination: Int { relation.property.destinationIndex }
}
