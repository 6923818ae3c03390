public import Query
public import Schema

/// The ID of an object together with its class.
///
/// ```swift
/// let id = ID(book)                       // or book.typedID
/// let title = try await container.performBackgroundTask { context in try context.existingObject(with: id).title }
/// ```
public struct TypedObjectID<Object: ManagedObject>: Sendable {
    /// The ID without the class.
    public let objectID: ManagedObjectID

    /// The ID of an object.
    public init(_ object: Object) {
        objectID = object.objectID
    }

    /// Creates an ID of an object that is of this class. Contexts check the class when they access
    /// the object.
    public init(_ objectID: ManagedObjectID) {
        self.objectID = objectID
    }

    /// Whether the ID is temporary, that is, the object has not been saved.
    public var isTemporary: Bool { objectID.isTemporaryID }
}

extension TypedObjectID: Hashable {}

extension TypedObjectID: CustomStringConvertible {
    public var description: String { objectID.description }
}

extension TypedObjectID: PredicateArgument {
    public var predicateConstant: PropertyValue { .object(objectID) }
}

extension KeyPathNaming where Self: ManagedObject {
    /// The ID of the object, with its class. It is temporary until the object is first saved.
    public var typedID: TypedObjectID<Self> { TypedObjectID(self) }
}

extension ManagedObject: PredicateArgument {
    /// The ID of the object: predicates contain IDs, not objects.
    public final var predicateConstant: PropertyValue { .object(objectID) }
}

extension ManagedObjectContext {
    /// The object with an ID, without accessing the store; see ``object(with:)-(ManagedObjectID)``.
    /// Traps if it is of another class.
    public func object<Object>(with id: TypedObjectID<Object>) -> Object {
        do { return try GraphError.checked(object(with: id.objectID), Object.self) } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The object with an ID, with its values; see ``existingObject(with:)-(ManagedObjectID)``.
    ///
    /// - Throws: ``GraphError`` with code `objectNotFound` if there is no such object, `wrongType`
    ///   if it is of another class; errors of the store.
    public func existingObject<Object>(with id: TypedObjectID<Object>) throws -> Object {
        try GraphError.checked(existingObject(with: id.objectID), Object.self)
    }

    /// The object with an ID if it is registered in the context and of the class, otherwise nil.
    /// Reads nothing from the store.
    public func registeredObject<Object>(for id: TypedObjectID<Object>) -> Object? {
        registeredObject(for: id.objectID) as? Object
    }

    /// The object with an ID, with its values; nil if there is none or if it can't be read.
    public subscript<Object>(id: TypedObjectID<Object>) -> Object? { try? existingObject(with: id) }
}

extension GraphError {
    /// An object as one of a class.
    static func checked<Object: ManagedObject>(_ object: ManagedObject, _ wanted: Object.Type) throws(GraphError)
        -> Object
    {
        guard let object = object as? Object else { throw wrongClass(object, wanted) }
        return object
    }

    static func wrongClass(_ object: ManagedObject, _ wanted: ManagedObject.Type) -> GraphError {
        GraphError(
            .wrongType,
            "\(object.objectID.shortName) is of class \(type(of: object)), not \(wanted): register the class with the coordinator",
            object: object.objectID,
            entity: object.entity.name)
    }
}

// MARK: Conditions

/// Whether a to-one relationship refers to the object with an ID.
public func == <Operand: EntityOperand>(left: Operand, right: TypedObjectID<Operand.Value.Named>) -> EntityCondition<
    Operand.Object
>
where Operand.Value: _OptionalEntity, Operand.Value.Named: ManagedObject {
    EntityCondition(
        .comparison(ComparisonPredicate(left.entityPath.expression, .equal, .constant(right.predicateConstant))))
}

/// Whether a to-one relationship does not refer to the object with an ID; true if it is nil.
public func != <Operand: EntityOperand>(left: Operand, right: TypedObjectID<Operand.Value.Named>) -> EntityCondition<
    Operand.Object
>
where Operand.Value: _OptionalEntity, Operand.Value.Named: ManagedObject {
    EntityCondition(
        .comparison(ComparisonPredicate(left.entityPath.expression, .notEqual, .constant(right.predicateConstant))))
}
