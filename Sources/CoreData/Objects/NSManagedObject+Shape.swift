public import Foundation
import ObjectGraph
import Schema

extension NSManagedObjectShape where Self: NSManagedObject {
    /// Creates an object of the class's entity and inserts it into a context.
    ///
    /// Traps if the context's model does not have exactly one entity of the class.
    public init(context: NSManagedObjectContext) {
        guard let entity = context.entity(of: Self.self) else {
            preconditionFailure("The context's model has no entity with the class \(Self.self), or several")
        }
        self = instance(context.insertNewObject(of: entity))
    }

    /// Creates an object of the class that is in no context: of the class's entity in the model
    /// that was used last, or, where no model has one, of an entity without properties.
    public init() {
        let model = NSManagedObjectModel.loaded.first { $0.entity(of: Self.self) != nil }
        let entity = model?.entity(of: Self.self)
        self = instance(NSManagedObject.loose(Self.self, entity ?? .withoutProperties))
    }

    /// The entity of the object.
    public var entity: NSEntityDescription {
        guard let context = owningContext else {
            let own: EntityDescription = (self as ManagedObject).entity
            return NSEntityDescription.loaded(named: own.name)
        }
        return context.describedEntity(modelEntity)
    }

    /// The context that the object is in; nil for none.
    public var managedObjectContext: NSManagedObjectContext? {
        guard !isWaiting, let context = owningContext else { return nil }
        return NSManagedObjectContext.of(context)
    }

    /// A number that is 0 for an object that has its values, and another for a fault.
    public var faultingState: Int { isFault ? 1 : 0 }

    /// The persistent properties whose values differ from the saved ones, with `NSNull` for nil;
    /// while a store of the application's own saves the object, those that it has to write.
    public func changedValues() -> [String: Any] {
        if let keys = SaveInProgress.changedKeys(of: self) { return dictionaryWithValues(forKeys: keys) }
        let values: [String: Any?] = (self as ManagedObject).changedValues()
        return shaped(values)
    }

    /// The persistent properties that were set since changes were last processed.
    public func changedValuesForCurrentEvent() -> [String: Any] {
        let values: [String: Any?] = (self as ManagedObject).changedValuesForCurrentEvent()
        return shaped(values)
    }

    /// The values as they were last saved or fetched; all persistent ones for nil.
    public func committedValues(forKeys keys: [String]?) -> [String: Any] {
        let values: [String: Any?] = (self as ManagedObject).committedValues(forKeys: keys)
        return shaped(values)
    }

    private func shaped(_ values: [String: Any?]) -> [String: Any] {
        var shaped: [String: Any] = [:]
        for (key, value) in values {
            if let attribute = modelEntity.property(named: key)?.attribute, attribute.type == .transformable {
                shaped[key] = (value as? Data).flatMap { TransformableValue.value(of: $0, attribute) } ?? NSNull()
            } else {
                shaped[key] = BridgedValue.plain(value) ?? NSNull()
            }
        }
        return shaped
    }

    /// A live view of an unordered to-many relationship.
    public func mutableSetValue(forKey key: String) -> NSMutableSet { ObjectSet(self, key) }

    /// A live view of an ordered to-many relationship.
    public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet { OrderedObjectSet(self, key) }

    /// The value at the end of a key path, through relationships; nil where it leads nowhere.
    /// `@count`, `@sum`, `@avg`, `@min` and `@max` compute over collections.
    public func value(forKeyPath keyPath: String) -> Any? {
        guard keyPath.contains(".") else { return value(forKey: keyPath) }
        return NSExpression(forKeyPath: keyPath).expressionValue(with: self, context: nil)
    }

    /// Sets the value at the end of a key path of to-one relationships.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let owner = self.value(forKeyPath: String(keyPath[..<dot])) as? NSManagedObject
        owner?.setValue(value, forKey: String(keyPath[keyPath.index(after: dot)...]))
    }

    /// The values of keys, with `NSNull` for nil.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Sets the values of keys, with `NSNull` for nil.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// Whether the object is of a class, and of none that inherits from it.
    public func isMember(of type: AnyClass) -> Bool { Swift.type(of: self) == type }

    /// Whether the object is of a class or of one that inherits from it.
    public func isKind(of type: AnyClass) -> Bool {
        var current: AnyClass? = Swift.type(of: self)
        while let own = current {
            if own == type { return true }
            current = _getSuperclass(own)
        }
        return false
    }
}

extension NSManagedObject: CVarArg {
    /// What C functions get: the address. Predicates take the object itself.
    public var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}
