import Schema

// All objects at once, and what the context's settings say of them.
extension ObjectRegistry {
    /// Whether every object is held.
    var retainsObjects: Bool {
        get { retained != nil }
        set { retained = newValue ? objects : nil }
    }

    /// For how many objects the maps have room.
    var capacity: Int { identities.reduce(temporaries.capacity) { $0 + $1.capacity } }

    /// All objects that there are; rows of lists whose objects nobody has asked for are none.
    var allObjects: ContiguousArray<ManagedObject> {
        var objects = temporaries.objects
        for map in identities where map.count > 0 { objects.append(contentsOf: map.objects) }
        return objects
    }

    /// All objects, those of lists that nobody has asked for too. Costs as much as there are.
    var objects: Set<ManagedObject> {
        var objects = allObjects
        for map in identities where !map.listedSlabs.isEmpty {
            objects += map.listedKeys.compactMap { registered($0, map) }
        }
        return Set(objects)
    }

    // MARK: Observation

    /// Tells that a property is about to change.
    @inline(__always) func noteChange(_ object: ManagedObject, _ index: Int) {
        if let registrars { registrars.noteChange(object, index + 1) }
    }

    /// Tells that whatever an object shows may change.
    @inline(__always) func noteChange(_ object: ManagedObject) {
        if let registrars {
            registrars.noteChanges(object, shapes[Int(object.entityIndex)].entity.properties.count + 1)
        }
    }
}
