/// A collection type that a class can declare for a to-many relationship: ``ManagedObjects``, an
/// array or a set.
public protocol ManagedObjectCollection {
    /// The class of the objects.
    associatedtype Member: ManagedObject
    /// Creates a collection of the objects of a relationship.
    init(_ objects: ManagedObjects<Member>)
    /// The objects in the collection, each once.
    var managedObjects: ManagedObjects<Member> { get }
}

extension ManagedObjects: ManagedObjectCollection {
    /// Copies the collection.
    public init(_ objects: ManagedObjects<Element>) { self = objects }
    /// The collection itself.
    public var managedObjects: ManagedObjects<Element> { self }
}

extension Array: ManagedObjectCollection where Element: ManagedObject {
    /// Creates an array of the objects of a relationship.
    public init(_ objects: ManagedObjects<Element>) { self.init(objects[...]) }
    /// The objects in the array, each once.
    public var managedObjects: ManagedObjects<Element> { ManagedObjects(self) }
}

extension Set: ManagedObjectCollection where Element: ManagedObject {
    /// Creates a set of the objects of a relationship.
    public init(_ objects: ManagedObjects<Element>) { self.init(objects[...]) }
    /// The objects in the set.
    public var managedObjects: ManagedObjects<Element> { ManagedObjects(self) }
}

extension ManagedObjects {
    /// Appends an object that is not in the collection yet.
    public mutating func insert(_ object: Element) {
        if !objects.contains(where: { $0 === object }) { objects.append(object) }
    }

    /// Inserts an object that is not in the collection yet at an index.
    public mutating func insert(_ object: Element, at index: Int) {
        if !objects.contains(where: { $0 === object }) { objects.insert(object, at: index) }
    }

    /// Appends an object that is not in the collection yet.
    public mutating func append(_ object: Element) { insert(object) }

    /// Appends those of the objects that are not in the collection yet.
    public mutating func append(contentsOf elements: some Sequence<Element>) {
        var present = Set(objects)
        for element in elements where present.insert(element).inserted { objects.append(element) }
    }

    /// Appends those of the objects that are not in the collection yet.
    public mutating func formUnion(_ elements: some Sequence<Element>) { append(contentsOf: elements) }

    /// Appends those of the objects that are not in the collection yet.
    public static func += (left: inout ManagedObjects, right: some Sequence<Element>) { left.append(contentsOf: right) }
    /// Removes objects.
    public static func -= (left: inout ManagedObjects, right: some Sequence<Element>) { left.subtract(right) }

    /// Removes an object. Does nothing if it is not in the collection.
    public mutating func remove(_ object: Element) {
        objects.removeAll { $0 === object }
    }

    /// Removes objects. Those that are not in the collection are ignored.
    public mutating func subtract(_ elements: some Sequence<Element>) {
        let leaving = Set(elements.lazy.map { $0 as ManagedObject })
        objects.removeAll { leaving.contains($0) }
    }

    /// Removes and returns the object at an index.
    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        let element = self[index]
        objects.remove(at: index)
        return element
    }

    /// Removes all objects that satisfy a condition.
    public mutating func removeAll(where isGoing: (Element) throws -> Bool) rethrows {
        self = ManagedObjects(try filter { try !isGoing($0) })
    }

    /// Removes all objects.
    public mutating func removeAll() { objects = [] }

    /// Replaces the object at an index. Does nothing if the new object is in the collection
    /// already.
    public mutating func replace(at index: Int, with object: Element) {
        if !objects.contains(where: { $0 === object }) { objects[index] = object }
    }

    /// Moves an object from one index to another; the destination is its index in the result.
    public mutating func move(from source: Int, to destination: Int) {
        objects.insert(objects.remove(at: source), at: destination)
    }

    /// Exchanges the objects at two indexes.
    public mutating func swapAt(_ first: Int, _ second: Int) { objects.swapAt(first, second) }

    /// Sorts the objects of an ordered relationship. The sort is stable.
    public mutating func sort(by areInOrder: (Element, Element) throws -> Bool) rethrows {
        self = ManagedObjects(try sorted(by: areInOrder))
    }
}
