import RowMemory
import Schema
import Storage

extension ManagedObject {
    /// The persistent properties whose values differ from the saved ones, with their current
    /// values. For a new object, all properties that have a value.
    @_disfavoredOverload
    public final func changedValues() -> [String: Any?] {
        guard recordIndex >= 0, !state.isFault else { return [:] }
        let shape = self.shape
        var values: [String: Any?] = [:]
        for property in shape.entity.properties
        where !property.isTransient && context.tracker.differsFromSaved(self, property) {
            values[property.name] = plainValue(forKey: property.name)
        }
        return values
    }

    /// The persistent properties that were set since changes were last processed, with their
    /// current values.
    @_disfavoredOverload
    public final func changedValuesForCurrentEvent() -> [String: Any?] {
        guard recordIndex >= 0, !state.isFault else { return [:] }
        if state.isFree { return changedValues() }
        let shape = self.shape
        var values: [String: Any?] = [:]
        for index in context.changes.event(at: Int(recordIndex)).places
        where !shape.entity.properties[index].isTransient {
            values[shape.entity.properties[index].name] = plainValue(forKey: shape.entity.properties[index].name)
        }
        return values
    }

    /// Whether any persistent property differs from its saved value. Reads nothing from the store.
    public final var hasPersistentChangedValues: Bool {
        guard recordIndex >= 0, !state.isFault else { return false }
        return entity.properties.contains { !$0.isTransient && context.tracker.differsFromSaved(self, $0) }
    }

    /// The values of properties as they were last saved or fetched. Empty for a new object. To-many
    /// relationships that were not read are left out.
    ///
    /// - Parameter keys: The names of the properties; nil for all persistent ones. Traps if the
    ///   entity has no such property.
    @_disfavoredOverload
    public final func committedValues(forKeys keys: [String]?) -> [String: Any?] {
        guard !state.contains(.inserted), fillForReading() else { return [:] }
        let shape = self.shape
        var values: [String: Any?] = [:]
        for key in keys ?? shape.entity.properties.filter({ !$0.isTransient }).map(\.name) {
            guard let index = shape.entity.propertyIndex(named: key) else {
                preconditionFailure(GraphError.unknownKey(key, of: shape.entity).message)
            }
            if let relation = shape.relations[index], relation.isToMany {
                guard let list = existingList(relation), list.isLoaded else { continue }
                values[key] = relation.isOrdered ? Array(list.committedMembers) : Set(list.committedMembers)
                continue
            }
            values[key] = plain(committed(index, shape))
        }
        return values
    }

    /// The saved or fetched value of an attribute or a to-one relationship. The object must not be
    /// a fault.
    final func committed(_ index: Int, _ shape: EntityShape) -> SlotValue {
        if recordIndex >= 0, let saved = context.changes.savedValue(of: Int(recordIndex), property: index) {
            return saved
        }
        return row.slotValue(shape.layout.slots[index])
    }

    private final func plain(_ value: SlotValue) -> Any? {
        switch value {
        case .value(let value): value.plain
        case .reference(let reference): reference.map { context.registry.object($0) }
        }
    }
}
