import Foundation
public import ObjectGraph
import Schema

/// Why ``NSManagedObject/awake(fromSnapshotEvents:)`` is called.
public typealias NSSnapshotEventType = SnapshotEvents

/// An object of a context, with values that are read from the store on demand.
///
/// ```swift
/// final class Book: NSManagedObject {
///     @Managed var title: String
///     @Managed var author: Author?
/// }
/// let book = Book(context: context)
/// book.title = "Middlemarch"
/// ```
/// Classes are found by the name in the model, without registration. It is no `NSObject` on Linux,
/// so there is no key-value observing; observe notifications instead.
open class NSManagedObject: ManagedObject, NSManagedObjectShape {
    /// Keeps the place where the object is while it is in no context.
    var waitingRoom: WaitingRoom?

    /// Whether the object is in no context yet.
    var isWaiting: Bool { waitingRoom.map { $0.context === owningContext } ?? false }

    /// Creates an object of an entity, and inserts it into a context if there is one; otherwise
    /// `context.insert(_:)` does later.
    ///
    /// Contexts call it, too, with an entity of their own, for the objects that they fetch. Traps
    /// if the entity is abstract or of another model than the context's.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let seed = entity.seed {
            super.init(seed)
            return
        }
        let room = context == nil ? entity.managedObjectModel.waitingRoom : nil
        guard let folio = context?.folio ?? room?.context else {
            preconditionFailure("The context has no coordinator: set it before inserting objects")
        }
        super.init(NSManagedObject.seed(of: entity, in: folio))
        waitingRoom = room
        folio.maker.didMake(self, callsHook: room == nil)
    }

    /// Creates an instance; called by contexts only.
    public required convenience init(_ seed: ManagedObjectSeed) {
        self.init(entity: seed.describedEntity, insertInto: nil)
    }

    /// An object of a class and an entity that is in no context.
    static func loose(_ type: NSManagedObject.Type, _ entity: NSEntityDescription) -> NSManagedObject {
        let room = entity.managedObjectModel.waitingRoom
        let object = type.init(seed(of: entity, in: room.context))
        object.waitingRoom = room
        room.context.maker.didMake(object, callsHook: false)
        return object
    }

    static func seed(of entity: NSEntityDescription, in context: ManagedObjectContext) -> ManagedObjectSeed {
        do {
            guard let known = context.model.entity(named: entity.name ?? "") else {
                preconditionFailure("The context's model has no entity named \(entity.name ?? "")")
            }
            return try context.maker.seed(of: known)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The entity of the class, in the model that was used last.
    ///
    /// Traps if no model that a coordinator uses has an entity of this class, or one has several.
    open class func entity() -> NSEntityDescription {
        for model in NSManagedObjectModel.loaded {
            if let found = model.entity(of: self) { return NSEntityDescription(found.content, of: model) }
        }
        preconditionFailure("No model in use has an entity with the class \(self)")
    }

    /// A request for the objects of the class.
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        return NSFetchRequest(classOfEntity: self)
    }

    /// Whether unsaved changes of properties that are in no model count as changes. They don't
    /// here.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    // MARK: Values by key

    /// The value of a property; fires a fault.
    ///
    /// Numbers are `NSNumber`, which casts to every Swift number that it fits; a to-many
    /// relationship is a `Set<NSManagedObject>`, which casts to a set of a subclass and to `NSSet`;
    /// an ordered one is an `NSOrderedSet`; a transformable attribute is what its transformer makes
    /// of it. Traps if the entity has no such property.
    open override func value(forKey key: String) -> Any? {
        if isProbed(key) { return nil }
        guard let property = property(key) else { return otherValue(key) }
        if let attribute = property.attribute, attribute.type == .transformable {
            return TransformableValue.value(of: self, key, attribute)
        }
        return BridgedValue.plain(KeyedValues(self).value(forKey: key))
    }

    /// The value of a key that is no attribute or relationship.
    private func otherValue(_ key: String) -> Any? {
        if key == "objectID" { return objectID }
        guard owningContext != nil else { return nil }
        if let name = primitiveName(key) { return primitiveValue(forKey: name) }
        guard modelEntity.fetchedProperties.contains(where: { $0.name == key }) else {
            return value(forUndefinedKey: key)
        }
        // The objects of a fetched property are an array, those of an ordered relationship a set.
        return KeyedValues(self).value(forKey: key)
    }

    /// Sets a property and, for a relationship, its inverse. Traps if the entity has no such
    /// property, or the value has a wrong type.
    open override func setValue(_ value: Any?, forKey key: String) {
        guard let property = property(key) else {
            if let name = primitiveName(key) { return setPrimitiveValue(value, forKey: name) }
            if owningContext != nil { return setValue(value, forUndefinedKey: key) }
            return KeyedValues(self).setValue(value, forKey: key)
        }
        if let attribute = property.attribute, attribute.type == .transformable {
            TransformableValue.set(value, of: self, key, attribute)
        } else {
            KeyedValues(self).setValue(settable(value, key), forKey: key)
        }
    }

    /// The value of a key that is no property of the entity. Traps unless it is overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        preconditionFailure("\(modelEntity.name) has no property \"\(key)\"")
    }

    /// Sets the value of a key that is no property of the entity. Traps unless it is overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        preconditionFailure("\(modelEntity.name) has no property \"\(key)\"")
    }

    /// The value of a property, without firing a fault and without calling hooks.
    open override func primitiveValue(forKey key: String) -> Any? {
        if isProbed(key) { return nil }
        if let attribute = transformable(key) {
            return isFault ? nil : TransformableValue.value(of: self, key, attribute)
        }
        return BridgedValue.plain(KeyedValues(self).primitiveValue(forKey: key))
    }

    /// Sets a property without recording a change; see
    /// ``ManagedObject/setPrimitiveValue(_:forKey:)``.
    open override func setPrimitiveValue(_ value: Any?, forKey key: String) {
        if let attribute = transformable(key) {
            TransformableValue.setPrimitive(value, of: self, key, attribute)
        } else {
            KeyedValues(self).setPrimitiveValue(settable(value, key), forKey: key)
        }
    }

    /// The property whose primitive value is read and set by a key: `title` by `primitiveTitle`.
    /// Nil for another key, and for that of a property.
    private func primitiveName(_ key: String) -> String? {
        guard key.hasPrefix("primitive"), owningContext != nil else { return nil }
        let rest = String(key.dropFirst("primitive".count))
        return [rest.prefix(1).lowercased() + rest.dropFirst(), rest].first { property($0) != nil }
    }

    /// The attribute or relationship with a name; nil for an object without a context.
    private func property(_ name: String) -> PropertyDescription? {
        owningContext == nil ? nil : modelEntity.property(named: name)
    }

    private func transformable(_ key: String) -> AttributeDescription? {
        guard let attribute = property(key)?.attribute, attribute.type == .transformable else { return nil }
        return attribute
    }

    /// The value as Folio's objects take it.
    private func settable(_ value: Any?, _ key: String) -> Any? {
        guard let value, !(value is NSNull) else { return nil }
        if let object = value as? ManagedObject { return object }
        if modelEntity.property(named: key)?.relationship != nil {
            guard let elements = BridgedValue.elements(of: value) else { return value }
            let objects = elements.compactMap { $0 as? ManagedObject }
            return objects.count == elements.count ? objects : value
        }
        return BridgedValue.propertyValue(value) ?? value
    }

    /// The entity as Folio's model describes it.
    var modelEntity: EntityDescription {
        let own: EntityDescription = (self as ManagedObject).entity
        return own
    }

    // MARK: Validation

    /// Validates the object before the save that inserts it: its values by the rules of the model
    /// and by the predicates of its properties. Overrides call super.
    ///
    /// - Throws: A `CocoaError` with the object, the key and the value; for several failures,
    ///   `NSValidationMultipleErrorsError` with all under `NSDetailedErrorsKey`.
    open override func validateForInsert() throws { try validateProperties { try super.validateForInsert() } }

    /// Validates the object before a save that updates it, as ``validateForInsert()`` does.
    open override func validateForUpdate() throws { try validateProperties { try super.validateForUpdate() } }

    /// Validates the object before the save that deletes it: whether a delete rule denies it.
    ///
    /// - Throws: A `CocoaError`, as ``validateForInsert()``.
    open override func validateForDelete() throws { try validateDeletion { try super.validateForDelete() } }

    /// Validates a value as that of a property, by the rules of the model and the predicates of the
    /// property.
    ///
    /// - Throws: A `CocoaError`, as ``validateForInsert()``.
    open override func validateValue(_ value: Any?, forKey key: String) throws {
        try validate(value, forKey: key) { try super.validateValue($0, forKey: key) }
    }

    // MARK: What every object of Apple's is

    /// Whether another object is this one.
    open func isEqual(_ object: Any?) -> Bool { (object as? NSManagedObject) === self }

    /// A number that is the same for the same object.
    open var hash: Int { ObjectIdentifier(self).hashValue }
}

/// What managed objects have in Core Data's shape where Folio's is another. Not for other types.
public protocol NSManagedObjectShape {}
