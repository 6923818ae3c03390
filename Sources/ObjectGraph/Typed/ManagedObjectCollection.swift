/// A collection that a class can show a to-many relationship as: ``ManagedObjects``, an array or a
/// set.
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

    /// Adds objects at the end, each that is not there.
    public mutating func append(contentsOf elements: some Sequence<Element>) {
        var present = Set(objects)
        for element in elements where present.insert(element).inserted { objects.append(element) }
    }

    public mutating func formUnion(_ elements: some Sequence<Element>) { append(contentsOf: elements) }

    public static func += (left: inout ManagedObjects, right: some Sequence<Element>) { left.append(contentsOf: right) }
    public static func -= (left: inout ManagedObjects, right: some Sequence<Element>) { left.subtract(right) }

    /// Takes an object out, if it is there.
    public mutating func remove(_ object: Element) {
        objects.removeAll { $0 === object }
    }

    /// Takes objects out, those that are there.
    public mutating func subtract(_ elements: some Sequence<Element>) {
        let leaving = Set(elements.lazy.map { $0 as ManagedObject })
        objects.removeAll { leaving.contains($0) }
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

    /// Puts an object in the place of the one at `index`. Does nothing if it is there already.
    public mutating func replace(at index: Int, with object: Element) {
        if !objects.contains(where: { $0 === object }) { objects[index] = object }
    }

    /// Moves the object at one place such that it stands at another of the result.
    public mutating func move(from source: Int, to destination: Int) {
        objects.insert(objects.remove(at: source), at: destination)
    }

    public mutating func swapAt(_ first: Int, _ second: Int) { objects.swapAt(first, second) }

    /// Puts an ordered relationship's objects in order. Equal ones stay as they stand.
    public mutating func sort(by areInOrder: (Element, Element) throws -> Bool) rethrows {
        self = ManagedObjects(try sorted(by: areInOrder))
    }
}
