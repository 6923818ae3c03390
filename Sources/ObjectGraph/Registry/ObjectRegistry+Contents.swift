import Schema

// Access to all objects at once.
extension ObjectRegistry {
    /// Whether the registry retains all objects.
    var retainsObjects: Bool {
        get { retained != nil }
        set { retained = newValue ? objects : nil }
    }

    /// The number of objects that the maps have memory for.
    var capacity: Int { identities.reduce(temporaries.capacity) { $0 + $1.capacity } }

    /// Whether the memory of the objects is worth returning to the system when the context is
    /// released. The memory of fewer objects is soon reused.
    var isLarge: Bool { capacity > 50_000 }

    /// All existing objects. Listed rows whose objects were never requested are not included.
    var allObjects: ContiguousArray<ManagedObject> {
        var objects = temporaries.objects
        for map in identities where map.count > 0 { objects.append(contentsOf: map.objects) }
        return objects
    }

    /// All objects, including those of listed rows, which are created. Takes time linear in their
    /// number.
    var objects: Set<ManagedObject> {
        var objects = allObjects
        for map in identities where !map.listedSlabs.isEmpty {
            objects += map.listedKeys.compactMap { registered($0, map) }
        }
        return Set(objects)
    }

    // MARK: Observation

    /// Notifies observers that a property is about to change.
    @inline(__always) func noteChange(_ object: ManagedObject, _ index: Int) {
        if let registrars { registrars.noteChange(object, index + 1) }
    }

    /// Notifies observers that all properties of an object may change.
    @inline(__always) func noteChange(_ object: ManagedObject) {
        if let registrars {
            registrars.noteChanges(object, shapes[Int(object.entityIndex)].entity.properties.count + 1)
        }
    }
}
