import Foundation
import Schema
import Synchronization

extension ObjectClasses {
    private static let types = Mutex<[String: NSManagedObject.Type]>([:])

    /// The class that a model names; nil where there is none.
    static func type(named name: String) -> NSManagedObject.Type? {
        if let known = types.withLock({ $0[name] }) { return known }
        guard let found = type(named: name, as: NSManagedObject.self) else { return nil }
        types.withLock { $0[name] = found }
        return found
    }

    /// That the program has no class of the name that an entity's model has; nil where it has one.
    static func missing(_ entity: EntityDescription) -> String? {
        guard let name = entity.managedObjectClassName, name != "NSManagedObject", type(named: name) == nil else {
            return nil
        }
        return "the model names the class \(name) for \(entity.name), and the program has no such class"
    }

    /// The class of an entity's objects; `NSManagedObject`, as in Core Data, where the program does
    /// not have the class that the model names.
    static func type(of entity: EntityDescription) -> NSManagedObject.Type {
        guard let name = entity.managedObjectClassName, name != "NSManagedObject" else { return NSManagedObject.self }
        return type(named: name) ?? NSManagedObject.self
    }
}
