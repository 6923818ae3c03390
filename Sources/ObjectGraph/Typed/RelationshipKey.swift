public import Schema
import RowMemory

/// A key for fast access to a to-one relationship of an entity: `object[key]`.
public struct ToOneKey<Destination: ManagedObject>: Sendable {
    let access: RelationshipAccess
}

/// A key for fast access to a to-many relationship of an entity: `object[key]`.
public struct ToManyKey<Destination: ManagedObject>: Sendable {
    let access: RelationshipAccess
}

/// The part of a key that does not depend on the type of the objects.
struct RelationshipAccess: Sendable {
    private let index: Int
    private let family: Range<Int>
    private let modelNumber: UInt64

    init(_ property: PropertyDescription, of entity: EntityDescription) {
        index = property.index
        family = entity.family
        modelNumber = entity.modelNumber
    }

    /// The relationship of an object, whose fault is fired if necessary; nil if it can't be fired.
    func relation(of object: ManagedObject) -> EntityShape.Relation? {
        guard object.fireFault() else { return nil }
        let registry = object.registry
        precondition(
            family.contains(Int(object.entityIndex)) && registry.modelNumber == modelNumber,
            "The handle is of another entity or model: make it from this object's entity")
        return registry.shapes[Int(object.entityIndex)].relations[index]
    }
}

extension EntityDescription {
    /// A key for access to a to-one relationship: `object[key]`.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`.
    public func toOne<Destination: ManagedObject>(_ name: String, as type: Destination.Type = ManagedObject.self) throws
        -> ToOneKey<Destination>
    {
        guard let property = property(named: name), let relationship = property.relationship, !relationship.isToMany
        else {
            throw GraphError.unknownKey(name, of: self, kind: "to-one relationship")
        }
        return ToOneKey(access: RelationshipAccess(property, of: self))
    }

    /// A key for access to a to-many relationship: `object[key]`.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`.
    public func toMany<Destination: ManagedObject>(_ name: String, as type: Destination.Type = ManagedObject.self)
        throws -> ToManyKey<Destination>
    {
        guard let property = property(named: name), property.isToMany else {
            throw GraphError.unknownKey(name, of: self, kind: "to-many relationship")
        }
        return ToManyKey(access: RelationshipAccess(property, of: self))
    }
}

/// The objects of a to-many relationship at one point in time: in order if the relationship is
/// ordered, otherwise in any order.
///
/// Objects without a class of the application may be created only when they are accessed: identify
/// them by a strong reference or by their ID, not by address.
public struct ManagedObjects<Element: ManagedObject>: RandomAccessCollection {
    @usableFromInline var made: ContiguousArray<ManagedObject>
    /// The objects while they are only rows; then `made` is empty.
    @usableFromInline var rows: MemberRows?

    init(_ objects: ContiguousArray<ManagedObject>) {
        made = objects
    }

    /// - Parameter makesObjects: Whether to create the objects in any case.
    init(_ list: MemberList, makesObjects: Bool) {
        rows = makesObjects ? nil : list.rows
        made = rows == nil ? list.members : []
    }

    var objects: ContiguousArray<ManagedObject> {
        get { rows?.objects ?? made }
        _modify {
            if let rows {
                made = rows.objects
                self.rows = nil
            }
            yield &made
        }
    }

    /// Creates a collection of objects. An object that occurs several times is contained once.
    public init(_ elements: some Sequence<Element>) {
        var seen: Set<ManagedObject> = []
        made = ContiguousArray(elements.lazy.map { $0 as ManagedObject }.filter { seen.insert($0).inserted })
    }

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { rows == nil ? made.count : rowCount }

    @usableFromInline var rowCount: Int { rows?.count ?? 0 }
    @usableFromInline func object(ofRow position: Int) -> ManagedObject {
        guard let rows else { preconditionFailure("There are no rows") }
        return rows.object(at: position)
    }

    @inlinable public subscript(position: Int) -> Element {
        Self.element(rows == nil ? made[position] : object(ofRow: position))
    }

    @inlinable static func element(_ object: ManagedObject) -> Element {
        // Every object is a `ManagedObject`, so its class need not be checked.
        if Element.self == ManagedObject.self { return unsafeDowncast(object, to: Element.self) }
        guard let element = object as? Element else { Self.refuse(object) }
        return element
    }

    /// An iterator over the objects. Iterating is cheaper if the objects are not retained.
    public struct Iterator: IteratorProtocol {
        @usableFromInline var made: IndexingIterator<ContiguousArray<ManagedObject>>
        @usableFromInline var cursor: MemberCursor?

        init(_ objects: ManagedObjects) {
            made = objects.made.makeIterator()
            cursor = objects.rows.map { MemberCursor($0) }
        }

        /// The next object; nil at the end.
        @inlinable public mutating func next() -> Element? {
            let object = cursor == nil ? made.next() : cursor?.next()
            guard let object else { return nil }
            return ManagedObjects.element(object)
        }
    }

    public func makeIterator() -> Iterator { Iterator(self) }

    @usableFromInline static func refuse(_ object: ManagedObject) -> Never {
        preconditionFailure(
            "\(object.entity.name) has another class than \(Element.self): register it with the coordinator")
    }
}

extension ManagedObjects: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Element...) {
        self.init(elements)
    }
}

extension ManagedObject {
    /// The object of a to-one relationship. Setting it sets the inverse, too.
    ///
    /// The object is a fault if it is not registered yet; reading takes at most the query for this
    /// object's own row. Traps if the key belongs to another entity.
    public final subscript<Destination>(key: ToOneKey<Destination>) -> Destination? {
        get {
            guard registryReference != nil, let relation = key.access.relation(of: self) else {
                return nil
            }
            return registry.target(self, relation.slot, as: Destination.self)
        }
        set {
            guard let relation = key.access.relation(of: self) else { return }
            context.relationships.setCheckedTarget(self, relation, newValue)
        }
    }

    /// The objects of a to-many relationship. Setting them sets the inverses, too.
    ///
    /// The first access takes one query of the store, which reads the relationship for other
    /// objects of the same fetch, too. Traps if the key belongs to another entity.
    public final subscript<Destination>(key: ToManyKey<Destination>) -> ManagedObjects<Destination> {
        get {
            guard registryReference != nil, let relation = key.access.relation(of: self) else {
                return ManagedObjects(ContiguousArray())
            }
            return context.members.shownMembers(of: self, relation)
        }
        set {
            guard let relation = key.access.relation(of: self) else { return }
            context.relationships.setCheckedMembers(self, relation, newValue.objects)
        }
    }
}
