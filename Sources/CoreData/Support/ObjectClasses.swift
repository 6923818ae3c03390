import Foundation
import ObjectGraph
import Schema
import Synchronization

/// Finds the classes that models name, without registration.
enum ObjectClasses {
    /// The modules that classes without a module in their name are looked for in: those whose
    /// classes have been seen.
    private static let modules = Mutex<[String]>([])

    /// Notes where a class is declared.
    static func note(_ type: Any.Type) {
        let name = String(reflecting: type)
        guard let dot = name.firstIndex(of: ".") else { return }
        let module = String(name[..<dot])
        modules.withLock { if !$0.contains(module) { $0.append(module) } }
    }

    /// The modules that have been seen.
    static var knownModules: [String] { modules.withLock { $0 } }

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
