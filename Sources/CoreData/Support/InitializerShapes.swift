// Initializers that code of Apple's platforms calls of a type that it knows only as `Self`, as
// `self.init(managedObjectModel:)` in a class method. Those of Objective-C allow it; Swift asks for
// `required` ones, which every subclass with initializers of its own would have to repeat.

/// What coordinators have in Core Data's shape. Not for other types.
public protocol NSPersistentStoreCoordinatorShape {}

extension NSPersistentStoreCoordinator: NSPersistentStoreCoordinatorShape {}

extension NSPersistentStoreCoordinatorShape where Self: NSPersistentStoreCoordinator {
    /// Creates a coordinator without stores. Traps for a subclass: name it.
    public init(managedObjectModel model: NSManagedObjectModel) {
        self = InitializerShapes.made(NSPersistentStoreCoordinator(managedObjectModel: model))
    }
}

/// What contexts have in Core Data's shape. Not for other types.
public protocol NSManagedObjectContextShape {}

extension NSManagedObjectContext: NSManagedObjectContextShape {}

extension NSManagedObjectContextShape where Self: NSManagedObjectContext {
    /// Creates a context without a coordinator. Traps for a subclass: name it.
    public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
        self = InitializerShapes.made(NSManagedObjectContext(concurrencyType: concurrencyType))
    }
}

/// What containers have in Core Data's shape. Not for other types.
public protocol NSPersistentContainerShape {}

extension NSPersistentContainer: NSPersistentContainerShape {}

extension NSPersistentContainerShape where Self: NSPersistentContainer {
    /// Creates a container with a model. Traps for a subclass: name it.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self = InitializerShapes.made(NSPersistentContainer(name: name, managedObjectModel: model))
    }

    /// Creates a container with the model of this name. Traps for a subclass: name it.
    public init(name: String) { self = InitializerShapes.made(NSPersistentContainer(name: name)) }
}

enum InitializerShapes {
    static func made<Wanted>(_ made: Any, as wanted: Wanted.Type = Wanted.self) -> Wanted {
        guard let made = made as? Wanted else {
            preconditionFailure("This makes a \(type(of: made)) only: write \(wanted)(…), with the name of the class")
        }
        return made
    }
}
