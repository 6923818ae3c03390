import Schema

extension SortKey {
    /// The order of the objects themselves: by the names of their entities, code unit by code unit,
    /// then by their numbers. Objects that are not saved yet come after the others of their entity.
    ///
    /// ```swift
    /// request.sortKeys = [SortKey("year"), .objectID]
    /// ```
    /// Behind other keys it gives a place to objects that those do not tell apart. Keys behind it
    /// say nothing. Cost: none where the objects of one entity are read, whose tables are in this
    /// order; with sub-entities, a sort.
    public static let objectID: SortKey = {
        var key = SortKey("objectID")
        key.ordersObjects = true
        return key
    }()
}

extension ManagedObjectID {
    /// The order of ``SortKey/objectID``: negative, zero or positive.
    func order(to other: ManagedObjectID) -> Int {
        let (name, otherName) = (entity.name, other.entity.name)
        if name != otherName { return name.utf8.lexicographicallyPrecedes(otherName.utf8) ? -1 : 1 }
        if isTemporaryID != other.isTemporaryID { return isTemporaryID ? 1 : -1 }
        // Temporary numbers go down from -1.
        return (key.magnitude < other.key.magnitude) ? -1 : (key == other.key ? 0 : 1)
    }
}
