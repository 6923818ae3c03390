import RowMemory
import Schema

extension ObjectRegistry {
    /// The location of a typed property in the rows of `object`, looked up by name at the first
    /// use.
    ///
    /// Traps if the object's entity has no such property: then the class was made for another
    /// model.
    func place(of number: Int, named name: String, for object: ManagedObject, _ check: (PropertyFit) -> Bool)
        -> PropertyPosition
    {
        if number < places.count {
            let place = places[number]
            if object.entityIndex &- place.firstEntity < place.entityCount { return place }
        }
        let shape = shapes[Int(object.entityIndex)]
        guard let property = shape.entity.property(named: name) else {
            preconditionFailure(
                "\(shape.entity.name) has no property “\(name)”, which \(type(of: object)) declares: the class was made for another version of the model"
            )
        }
        let slot = shape.layout.slots[property.index]
        guard check(PropertyFit(kind: slot.kind, isToMany: property.isToMany)) else {
            preconditionFailure(
                "\(shape.entity.name).\(name) is not of the type that \(type(of: object)) declares: the class was made for another version of the model"
            )
        }
        let family = shapes[property.declaringEntityIndex].entity.family
        let place = PropertyPosition(
            cell: RowCell(slot), firstEntity: UInt16(family.lowerBound), entityCount: UInt16(family.count),
            index: UInt16(property.index))
        // Not cached while objects are observed, so that every read is registered.
        if registrars != nil { return place }
        while places.count <= number { places.append(.unknown) }
        places[number] = place
        return place
    }
}
