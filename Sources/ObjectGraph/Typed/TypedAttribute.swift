/// What a class knows of one of its attributes, made once for the class: a name and a Swift type.
///
/// ```swift
/// final class Book: ManagedObject {
///     static let titleAttribute = TypedAttribute<String>("title")
///     var title: String? {
///         get { self[Self.titleAttribute] }
///         set { self[Self.titleAttribute] = newValue }
///     }
/// }
/// ```
/// `@Model` and `folio codegen` write such classes. It is of no model: each context finds the
/// attribute's place in its own model at the first use and remembers it, so that a class serves
/// every version of a model that has the attribute. For an entity without a class, take an
/// ``AttributeKey``.
public struct TypedAttribute<Value: AttributeValue>: Sendable {
    public let name: String
    @usableFromInline let number: Int

    /// Keep the result in a static property: each one takes room in every context that it is used
    /// in.
    public init(_ name: String) {
        self.name = name
        number = PropertyPlace.nextNumber()
    }
}

/// What a class knows of one of its to-one relationships; see ``TypedAttribute``.
public struct TypedToOne<Destination: ManagedObject>: Sendable {
    public let name: String
    let number: Int

    /// Keep the result in a static property.
    public init(_ name: String) {
        self.name = name
        number = PropertyPlace.nextNumber()
    }
}

/// What a class knows of one of its to-many relationships; see ``TypedAttribute``. `Members` is the
/// collection that the class shows it as.
public struct TypedToMany<Members: ManagedObjectCollection>: Sendable {
    public let name: String
    let number: Int

    /// Keep the result in a static property.
    public init(_ name: String) {
        self.name = name
        number = PropertyPlace.nextNumber()
    }
}
