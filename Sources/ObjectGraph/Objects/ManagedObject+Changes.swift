extension ManagedObject {
    /// The persistent properties whose values differ from the saved ones, with their current
    /// values. For a new object, all properties that have a value.
    @_disfavoredOverload
    public final func changedValues() -> [String: Any?] { ObjectChanges(self).values() }

    /// The persistent properties that were set since changes were last processed, with their
    /// current values.
    @_disfavoredOverload
    public final func changedValuesForCurrentEvent() -> [String: Any?] { ObjectChanges(self).valuesOfCurrentEvent() }

    /// Whether any persistent property differs from its saved value. Reads nothing from the store.
    public final var hasPersistentChangedValues: Bool { ObjectChanges(self).havePersistentOnes }

    /// The values of properties as they were last saved or fetched. Empty for a new object. To-many
    /// relationships that were not read are left out.
    ///
    /// - Parameter keys: The names of the properties; nil for all persistent ones. Traps if the
    ///   entity has no such property.
    @_disfavoredOverload
    public final func committedValues(forKeys keys: [String]?) -> [String: Any?] {
        ObjectChanges(self).committedValues(forKeys: keys)
    }
}
