import Foundation

// Foundation's function on Linux traps for a class in another type or in a function. These are
// chosen for the classes whose names models have.

/// The name of a class with its module, as a model has it.
public func NSStringFromClass(_ aClass: NSManagedObject.Type) -> String { String(reflecting: aClass) }

/// The name of a class with its module, as a mapping has it.
public func NSStringFromClass(_ aClass: NSEntityMigrationPolicy.Type) -> String { String(reflecting: aClass) }

/// The name of a class with its module, as an attribute has it.
public func NSStringFromClass(_ aClass: ValueTransformer.Type) -> String { String(reflecting: aClass) }
