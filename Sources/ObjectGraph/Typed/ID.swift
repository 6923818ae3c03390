public import Query
public import Schema

/// The identity of an object of a class: a ``ManagedObjectID`` that knows what it leads to.
///
/// ```swift
/// let id = ID(book)                       // or book.typedID
/// let title = try await container.performBackgroundTask { context in try context.existingObject(with: id).title }
/// ```
public struct ID<Object: ManagedObject>: Sendable {
    public let objectID: ManagedObjectID

    public init(_ object: Object) {
        objectID = object.objectID
    }

    /// The ID of an object that is of this class. Contexts check that when they look for it.
    public init(_ objectID: ManagedObjectID) {
        self.objectID = objectID
    }

    /// Whether the object has never been saved.
    public var isTemporary: Bool { objectID.isTemporaryID }
}

extension ID: Hashable {}

extension ID: CustomStringConvertible {
    public var description: String { objectID.description }
}

extension ID: PredicateArgument {
    public var predicateConstant: PropertyValue { .object(objectID) }
}

extension KeyPathNaming where Self: ManagedObject {
    /// The object's identity, with its class. It is temporary until the object is saved for the
    /// first time.
    public var typedID: ID<Self> { ID(self) }
}

extension ManagedObject: PredicateArgument {
    /// Predicates hold the ID, not the object.
    public final var predicateConstant: PropertyValue { .object(objectID) }
}

extension ManagedObjectContext {
    /// The object with an ID, without asking the store; see ``object(with:)-(ManagedObjectID)``.
    /// Traps if it is of another class.
    public func object<Object>(with id: ID<Object>) -> Object {
        let object = object(with: id.objectID)
        guard let typed = object as? Object else {
            preconditionFailure("\(GraphError.wrongClass(object, Object.self))")
        }
        return typed
    }

    /// The object with an ID, filled.
    /// - Throws: ``GraphError`` with code `objectNotFound` where there is none, `wrongType` where
    ///   it is of another class.
    public func existingObject<Object>(with id: ID<Object>) throws -> Object {
        let object = try existingObject(with: id.objectID)
        guard let typed = object as? Object else { throw GraphError.wrongClass(object, Object.self) }
        return typed
    }

    /// The object with an ID if the context knows it and it is of the class. Reads nothing.
    public func registeredObject<Object>(for id: ID<Object>) -> Object? {
        registeredObject(for: id.objectID) as? Object
    }

    /// The object with an ID, filled; nil where there is none.
    public subscript<Object>(id: ID<Object>) -> Object? { try? existingObject(with: id) }
}

extension GraphError {
    static func wrongClass(_ object: ManagedObject, _ wanted: ManagedObject.Type) -> GraphError {
        GraphError(
            .wrongType,
            "\(object.objectID) is of class \(type(of: object)), not \(wanted): register the class with the coordinator",
            object: object.objectID,
            entity: object.entity.name)
    }
}

// MARK: Conditions

/// Whether a to-one relationship leads to the object with an ID.
public func == <Operand: EntityOperand>(left: Operand, right: ID<Operand.Value.Named>) -> EntityCondition<
    Operand.Object
>
where Operand.Value: OptionalEntity, Operand.Value.Named: ManagedObject {
    EntityCondition(.comparison(Comparison(left.entityPath.expression, .equal, .constant(right.predicateConstant))))
}

public func != <Operand: EntityOperand>(left: Operand, right: ID<Operand.Value.Named>) -> EntityCondition<
    Operand.Object
>
where Operand.Value: OptionalEntity, Operand.Value.Named: ManagedObject {
    EntityCondition(.comparison(Comparison(left.entityPath.expression, .notEqual, .constant(right.predicateConstant))))
}
