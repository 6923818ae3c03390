import Foundation
import ObjectGraph

/// A live view of an unordered to-many relationship.
final class ObjectSet: NSMutableSet {
    private let owner: NSManagedObject?
    private let key: String

    init(_ owner: NSManagedObject, _ key: String) {
        self.owner = owner
        self.key = key
        super.init(capacity: 0)
    }

    required convenience init?(coder: NSCoder) { nil }

    required init(capacity: Int) {
        owner = nil
        key = ""
        super.init(capacity: capacity)
    }

    private var live: MutableObjectSet {
        guard let owner else { preconditionFailure("A view of a relationship is made by mutableSetValue") }
        return owner.mutableSetValue(forKey: key)
    }

    override var count: Int { live.count }

    override func member(_ object: Any) -> Any? {
        (object as? ManagedObject).flatMap { live.contains($0) ? $0 : nil }
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: Array(live.allObjects)).objectEnumerator() }

    override func add(_ object: Any) { (object as? ManagedObject).map { live.add($0) } }

    override func remove(_ object: Any) { (object as? ManagedObject).map { live.remove($0) } }

    // Foundation's own versions change what it keeps itself.

    override func addObjects(from array: [Any]) { for object in array { add(object) } }

    override func union(_ otherSet: Set<AnyHashable>) { for object in otherSet { add(object.base) } }

    override func minus(_ otherSet: Set<AnyHashable>) { for object in otherSet { remove(object.base) } }

    override func intersect(_ otherSet: Set<AnyHashable>) {
        for object in live.allObjects where !otherSet.contains(object) { live.remove(object) }
    }

    override func setSet(_ otherSet: Set<AnyHashable>) {
        intersect(otherSet)
        union(otherSet)
    }

    override func removeAllObjects() { live.removeAll() }
}

/// A live view of an ordered to-many relationship.
final class OrderedObjectSet: NSMutableOrderedSet {
    private let owner: NSManagedObject?
    private let key: String

    init(_ owner: NSManagedObject, _ key: String) {
        self.owner = owner
        self.key = key
        super.init(capacity: 0)
    }

    required convenience init?(coder: NSCoder) { nil }

    required init(arrayLiteral elements: Any...) {
        owner = nil
        key = ""
        super.init(capacity: 0)
    }

    private var live: MutableOrderedObjectSet {
        guard let owner else { preconditionFailure("A view of a relationship is made by mutableOrderedSetValue") }
        return owner.mutableOrderedSetValue(forKey: key)
    }

    override var count: Int { live.count }

    override func object(at index: Int) -> Any { live[index] }

    override func index(of object: Any) -> Int {
        (object as? ManagedObject).flatMap { live.index(of: $0) } ?? NSNotFound
    }

    override func contains(_ object: Any) -> Bool {
        (object as? ManagedObject).map { live.contains($0) } ?? false
    }

    override func insert(_ object: Any, at index: Int) {
        guard let object = object as? ManagedObject, !live.contains(object) else { return }
        live.insert(object, at: index)
    }

    override func removeObject(at index: Int) { live.remove(at: index) }

    override func replaceObject(at index: Int, with object: Any) {
        live.remove(at: index)
        insert(object, at: index)
    }

    // Foundation's own versions change what it keeps itself.

    override subscript(index: Int) -> Any {
        get { live[index] }
        set { setObject(newValue, at: index) }
    }

    override func setObject(_ object: Any, at index: Int) {
        if index == live.count { add(object) } else { replaceObject(at: index, with: object) }
    }

    override func add(_ object: Any) {
        guard let object = object as? ManagedObject, !live.contains(object) else { return }
        live.add(object)
    }

    override func addObjects(from array: [Any]) { for object in array { add(object) } }

    override func insert(_ objects: [Any], at indexes: IndexSet) {
        for (object, index) in zip(objects, indexes) { insert(object, at: index) }
    }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        for (object, index) in zip(objects, indexes) { replaceObject(at: index, with: object) }
    }

    override func exchangeObject(at first: Int, withObjectAt second: Int) {
        var objects = Array(live)
        objects.swapAt(first, second)
        set(objects)
    }

    override func moveObjects(at indexes: IndexSet, to index: Int) { live.moveObjects(at: Array(indexes), to: index) }

    override func remove(_ object: Any) { (object as? ManagedObject).map { live.remove($0) } }

    override func removeObjects(in range: NSRange) {
        for index in (range.location..<range.location + range.length).reversed() { live.remove(at: index) }
    }

    override func removeObjects(at indexes: IndexSet) { for index in indexes.reversed() { live.remove(at: index) } }

    override func removeObjects(in array: [Any]) { for object in array { remove(object) } }

    override func removeAllObjects() { live.removeAll() }

    override func union(_ other: NSOrderedSet) { for object in other { add(object) } }

    override func minus(_ other: NSOrderedSet) { for object in other { remove(object) } }

    override func intersect(_ other: NSOrderedSet) {
        for object in Array(live) where !other.contains(object) { live.remove(object) }
    }

    override func unionSet(_ other: Set<AnyHashable>) { for object in other { add(object.base) } }

    override func minusSet(_ other: Set<AnyHashable>) { for object in other { remove(object.base) } }

    override func intersectSet(_ other: Set<AnyHashable>) {
        for object in Array(live) where !other.contains(object) { live.remove(object) }
    }

    override func sort(comparator: (Any, Any) -> ComparisonResult) {
        set(live.sorted { comparator($0, $1) == .orderedAscending })
    }

    override func sort(options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult) {
        sort(comparator: comparator)
    }

    override func sort(using descriptors: [NSSortDescriptor]) {
        set(
            live.sorted { left, right in
                for descriptor in descriptors {
                    switch descriptor.compare(left, to: right) {
                    case .orderedAscending: return true
                    case .orderedDescending: return false
                    case .orderedSame: continue
                    }
                }
                return false
            })
    }

    private func set(_ objects: [ManagedObject]) { if let owner { KeyedValues(owner).setValue(objects, forKey: key) } }
}
