/// An attribute that a class declares: its name and its Swift type.
///
/// ```swift
/// final class Book: ManagedObject {
///     static let titleAttribute = _TypedAttribute<String>("title")
///     var title: String? {
///         get { self[Self.titleAttribute] }
///         set { self[Self.titleAttribute] = newValue }
///     }
/// }
/// ```
/// `@Model` and `folio codegen` generate such classes. The attribute is independent of a model:
/// each context looks it up in its own model at the first use, so a class works with every version
/// of a model that has the attribute. For entities without a class, use an ``AttributeKey``.
public struct _TypedAttribute<Value: AttributeValue>: Sendable {
    /// The name of the attribute in the model.
    public let name: String
    @usableFromInline let number: Int

    /// Creates an attribute. Keep it in a static property: each instance uses memory in every
    /// context that uses it.
    public init(_ name: String) {
        self.name = name
        number = PropertyPosition.nextNumber()
    }
}

/// A to-one relationship that a class declares; see ``_TypedAttribute``.
public struct _TypedToOne<Destination: ManagedObject>: Sendable {
    /// The name of the relationship in the model.
    public let name: String
    let number: Int

    /// Creates a relationship. Keep it in a static property.
    public init(_ name: String) {
        self.name = name
        number = PropertyPosition.nextNumber()
    }
}

/// A to-many relationship that a class declares; see ``_TypedAttribute``. `Members` is the type of
/// collection that the class uses.
public struct _TypedToMany<Members: ManagedObjectCollection>: Sendable {
    /// The name of the relationship in the model.
    public let name: String
    let number: Int

    /// Creates a relationship. Keep it in a static property.
    public init(_ name: String) {
        self.name = name
        number = PropertyPosition.nextNumber()
    }
}
