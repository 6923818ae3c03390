public import RowMemory

/// An attribute that a class declares: its name and its Swift type.
///
/// ```swift
/// final class Book: ManagedObject {
///     static let titleAttribute = _TypedAttribute<String>("title")
///     var title: String? {
///         get { self[Self.titleAttribute] }
///         set { self[Self.titleAttribute] = newValue }
///     }
/// }
/// ```
/// `@Model` and `folio codegen` generate such classes. The attribute is independent of a model:
/// each context looks it up in its own model at the first use, so a class works with every version
/// of a model that has the attribute. For entities without a class, use an ``AttributeKey``.
public struct _TypedAttribute<Value: AttributeValue>: Sendable {
    /// The name of the attribute in the model.
    public let name: String
    @usableFromInline let number: Int

    /// Creates an attribute. Keep it in a static property: each instance uses memory in every
    /// context that uses it.
    public init(_ name: String) {
        self.name = name
        number = PropertyPosition.nextNumber()
    }
}

// The slow paths of the accessors of objects.
extension _TypedAttribute {
    /// Fires the fault if necessary. Nil if the object has no values.
    @usableFromInline
    func cellForReading(in object: ManagedObject) -> RowCell? {
        guard object.fillForReading() else { return nil }
        let place = place(in: object)
        object.noteReading(Int(place.index))
        return place.cell
    }

    /// Fires the fault if necessary, and records that the value changes. Nil if the object can't be
    /// written.
    @usableFromInline
    func cellForWriting(in object: ManagedObject) -> RowCell? {
        guard object.fireFault() else { return nil }
        let place = place(in: object)
        object.noteWriting(object.shape.layout.slots[Int(place.index)])
        return place.cell
    }

    @usableFromInline
    func clearValue(of object: ManagedObject) {
        guard object.fireFault() else { return }
        let slot = object.shape.layout.slots[Int(place(in: object).index)]
        object.noteWriting(slot)
        object.row.clear(slot)
    }

    private func place(in object: ManagedObject) -> PropertyPosition {
        object.registry.place(of: number, named: name, for: object) { $0.kind.holds(Value.Stored.self) }
    }
}

/// A to-one relationship that a class declares; see ``_TypedAttribute``.
public struct _TypedToOne<Destination: ManagedObject>: Sendable {
    /// The name of the relationship in the model.
    public let name: String
    let number: Int

    /// Creates a relationship. Keep it in a static property.
    public init(_ name: String) {
        self.name = name
        number = PropertyPosition.nextNumber()
    }
}

extension _TypedToOne {
    /// The relationship of an object, whose fault is fired if necessary; nil if it can't be fired.
    func relation(of object: ManagedObject) -> EntityShape.Relation? {
        guard object.fireFault() else { return nil }
        let place = object.registry.place(of: number, named: name, for: object) { $0.kind == .toOne }
        return object.shape.relations[Int(place.index)]
    }
}

/// A to-many relationship that a class declares; see ``_TypedAttribute``. `Members` is the type of
/// collection that the class uses.
public struct _TypedToMany<Members: ManagedObjectCollection>: Sendable {
    /// The name of the relationship in the model.
    public let name: String
    let number: Int

    /// Creates a relationship. Keep it in a static property.
    public init(_ name: String) {
        self.name = name
        number = PropertyPosition.nextNumber()
    }
}

extension _TypedToMany {
    /// The relationship of an object, whose fault is fired if necessary; nil if it can't be fired.
    func relation(of object: ManagedObject) -> EntityShape.Relation? {
        guard object.fireFault() else { return nil }
        let place = object.registry.place(of: number, named: name, for: object, \.isToMany)
        return object.shape.relations[Int(place.index)]
    }
}
