import Foundation
import Schema

/// Makes a property of a managed object's class one of its entity, as `@NSManaged` does on Apple's
/// platforms.
///
/// ```swift
/// final class Author: NSManagedObject {
///     @Managed var name: String?
///     @Managed var books: Set<Book>
///     @ManagedAccessor func addToBooks(_ value: Book)
/// }
/// ```
/// Linux's compiler keeps the name `@NSManaged` for itself and then asks for the Objective-C
/// runtime.
@attached(accessor)
public macro Managed() = #externalMacro(module: "FolioMacros", type: "ManagedMacro")

/// Makes a method without a body the accessor of its name, such as `addToBooks(_:)`, as
/// `@NSManaged` does on Apple's platforms.
@attached(body)
public macro ManagedAccessor() = #externalMacro(module: "FolioMacros", type: "ManagedMacro")

/// Makes all stored properties without an initial value, and all methods without a body, those of
/// an entity: ``Managed()`` and ``ManagedAccessor()`` for each. It stands before a class or an
/// extension.
@attached(memberAttribute)
public macro ManagedObjectClass() = #externalMacro(module: "FolioMacros", type: "ManagedObjectClassMacro")

extension NSManagedObject {
    /// The value of a property, as accessors of `@Managed` read it.
    ///
    /// Nil becomes the empty value of a type that has no nil: an empty text, set or data, 0, false.
    /// Traps for other types, and for a value of another type.
    public func managedValue<Value>(forKey key: String, as type: Value.Type = Value.self) -> Value {
        if let answer = KeyProbe.answer(key, of: self, as: type) { return answer }
        return ManagedValue.cast(value(forKey: key), key)
    }

    /// Sets a property, as accessors of `@Managed` do.
    public func setManagedValue<Value>(_ value: Value, forKey key: String) {
        guard !KeyProbe.isReading else { return }
        var flat = ManagedValue.flat(value)
        // A scalar date is the number of seconds since the reference date.
        if let seconds = flat as? TimeInterval, modelEntity.property(named: key)?.attribute?.type == .date {
            flat = Date(timeIntervalSinceReferenceDate: seconds)
        }
        setValue(flat, forKey: key)
    }

    /// What a method of `@Managed` does, by its name: `addTo…`, `removeFrom…`, `insertInto…`,
    /// `replace…`. Traps for other names.
    public func performManagedAccessor(_ name: String, _ arguments: [Any]) {
        let accessor = ManagedAccessor(name, of: modelEntity)
        accessor.perform(self, arguments)
    }
}
