import Schema

extension SortKey {
    /// Sorts by the names of the entities in binary order, then by primary key. Objects that are
    /// not saved yet come after the saved objects of their entity.
    ///
    /// ```swift
    /// request.sortDescriptors = [SortKey("year"), .objectID]
    /// ```
    /// As the last key it makes an order total; keys after it have no effect. It costs nothing if
    /// objects of a single entity are read, because tables have this order, and a sort if
    /// sub-entities are included.
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
        // The primary keys of temporary IDs count down from -1.
        return (key.magnitude < other.key.magnitude) ? -1 : (key == other.key ? 0 : 1)
    }
}
