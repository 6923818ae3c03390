import Foundation
import Schema

extension ObjectClasses {
    /// The class that a model names; nil where there is none.
    static func type(named name: String) -> NSManagedObject.Type? {
        // A leading dot is how the model editor writes the current product's module.
        let name = name.hasPrefix(".") ? String(name.dropFirst()) : name
        if name.contains("."), let found = NSClassFromString(name) as? NSManagedObject.Type { return found }
        let last = name.split(separator: ".").last.map(String.init) ?? name
        for module in knownModules {
            if let found = NSClassFromString("\(module).\(last)") as? NSManagedObject.Type { return found }
        }
        return nil
    }

    /// The class of an entity's objects.
    static func type(of entity: EntityDescription) -> NSManagedObject.Type {
        guard let name = entity.managedObjectClassName, name != "NSManagedObject" else { return NSManagedObject.self }
        return type(named: name) ?? NSManagedObject.self
    }
}
