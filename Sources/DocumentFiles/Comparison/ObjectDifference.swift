public import Schema

/// An object that differs between two documents.
public struct ObjectDifference: Sendable {
    /// The kind of a difference.
    public enum Change: String, Sendable, CaseIterable {
        /// The object exists only in the second document.
        case added
        /// The object exists only in the first document.
        case removed
        /// The object exists in both documents, with different values.
        case changed
    }

    /// The kind of the difference.
    public var change: Change
    /// The name of the object's entity.
    public var entity: String
    /// The primary key of the object, which identifies it in both documents.
    public var number: Int64
    /// The properties that differ, by name. For an object that exists in only one document, the
    /// properties that have a value.
    public var properties: [PropertyDifference]

    package init(change: Change, entity: String, number: Int64, properties: [PropertyDifference]) {
        self.change = change
        self.entity = entity
        self.number = number
        self.properties = properties
    }

    /// The object as `Entity/p7`.
    public var object: String { "\(entity)/p\(number)" }
}

/// A property that differs between two objects.
public struct PropertyDifference: Sendable {
    /// The name of the property.
    public var name: String
    /// The value in the first document: `.object` for a to-one relationship, a `.list` of `.object`
    /// for a to-many relationship. `.null` also if the object or the property does not exist.
    public var old: PropertyValue
    /// The value in the second document, in the same form.
    public var new: PropertyValue
}
