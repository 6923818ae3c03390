import Synchronization

/// A generated class that lists the key paths of its properties, for itself and for its subclasses.
public protocol _KeyPathDeclaring {
    /// For each class of the hierarchy, a function that returns the names of the properties that
    /// the class declares, by key paths of the given class; empty if that does not inherit from it.
    static var _keyPathTables: [(ManagedObject.Type) -> [AnyKeyPath: String]] { get }
    /// The names of the entities of the classes of the hierarchy whose class has another name.
    static var _entityNames: [ObjectIdentifier: String] { get }
}

extension _KeyPathDeclaring {
    public static var _entityNames: [ObjectIdentifier: String] { [:] }
}

extension ManagedObject {
    /// The names of the properties that the class and those that it inherits from declare.
    static var declaredNamesByKeyPath: [AnyKeyPath: String] { KeyPathTable.table(of: self).names }
}

/// The property names of a class, cached because creating key paths costs more than the rest of a
/// condition.
///
/// Sendable, because it is immutable and its key paths are literals of properties that capture no
/// values.
private struct KeyPathTable: @unchecked Sendable {
    let names: [AnyKeyPath: String]

    private static let made = Mutex<[ObjectIdentifier: KeyPathTable]>([:])

    static func table(of objectClass: ManagedObject.Type) -> KeyPathTable {
        let id = ObjectIdentifier(objectClass)
        if let table = made.withLock({ $0[id] }) { return table }
        // Call the class methods outside the lock, because they are code of the application.
        let table = KeyPathTable(names: gatherNames(objectClass))
        made.withLock { $0[id] = table }
        return table
    }

    private static func gatherNames(_ objectClass: ManagedObject.Type) -> [AnyKeyPath: String] {
        var names: [AnyKeyPath: String] = [:]
        func take(_ more: [AnyKeyPath: String]) {
            if names.isEmpty { names = more } else { names.merge(more) { first, _ in first } }
        }
        if let declaring = objectClass as? any _KeyPathDeclaring.Type {
            for table in declaring._keyPathTables { take(table(objectClass)) }
        }
        var next: ManagedObject.Type = objectClass
        while let entity = next._schemaEntity {
            take(entity.keyPaths(objectClass))
            next = entity.superclass
        }
        return names
    }
}
