public import Schema

/// An object that two documents do not have alike.
public struct ObjectDifference: Sendable {
    public enum Change: String, Sendable, CaseIterable {
        case added, removed, changed
    }

    public var change: Change
    public var entity: String
    /// The object's number, by which objects of two documents are told to be the same.
    public var number: Int64
    /// Those that differ, by name; of an object that only one document has, those with a value.
    public var properties: [PropertyDifference]

    package init(change: Change, entity: String, number: Int64, properties: [PropertyDifference]) {
        self.change = change
        self.entity = entity
        self.number = number
        self.properties = properties
    }

    /// `Entity/p7`
    public var object: String { "\(entity)/p\(number)" }
}

/// A property that two objects do not have alike.
public struct PropertyDifference: Sendable {
    public var name: String
    /// `.object` for a to-one relationship, a `.list` of these for a to-many; `.null` too where the
    /// object or its entity has no such property.
    public var old: PropertyValue
    public var new: PropertyValue
}
