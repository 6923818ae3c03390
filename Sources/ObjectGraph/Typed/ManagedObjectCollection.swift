/// A collection that a class can show a to-many relationship as: ``ManagedObjects``, an array or a set.
public protocol ManagedObjectCollection {
    associatedtype Member: ManagedObject
    init(_ objects: ManagedObjects<Member>)
    var managedObjects: ManagedObjects<Member> { get }
}

extension ManagedObjects: ManagedObjectCollection {
    public init(_ objects: ManagedObjects<Element>) { self = objects }
    public var managedObjects: ManagedObjects<Element> { self }
}

extension Array: ManagedObjectCollection where Element: ManagedObject {
    public init(_ objects: ManagedObjects<Element>) { self.init(objects[...]) }
    public var managedObjects: ManagedObjects<Element> { ManagedObjects(self) }
}

extension Set: ManagedObjectCollection where Element: ManagedObject {
    public init(_ objects: ManagedObjects<Element>) { self.init(objects[...]) }
    public var managedObjects: ManagedObjects<Element> { ManagedObjects(self) }
}

extension ManagedObjects {
    /// Adds an object at the end, if it is not there.
    public mutating func insert(_ object: Element) {
        if !objects.contains(where: { $0 === object }) { objects.append(object) }
    }

    /// Adds an object at a place, if it is not there.
    public mutating func insert(_ object: Element, at index: Int) {
        if !objects.contains(where: { $0 === object }) { objects.insert(object, at: index) }
    }

    public mutating func append(_ object: Element) { insert(object) }

    /// Takes an object out, if it is there.
    public mutating func remove(_ object: Element) {
        objects.removeAll { $0 === object }
    }

    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        let element = self[index]
        objects.remove(at: index)
        return element
    }

    public mutating func removeAll(where isGoing: (Element) throws -> Bool) rethrows {
        self = ManagedObjects(try filter { try !isGoing($0) })
    }

    public mutating func removeAll() { objects = [] }
}
