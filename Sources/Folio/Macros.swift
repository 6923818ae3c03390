/// Makes a class the class of an entity: its stored properties become the entity's attributes and
/// relationships.
///
/// ```swift
/// @Model final class Book: ManagedObject {
///     @Attribute(.unique) var isbn: String
///     var title: String = "Untitled"
///     var published: Date?
///     @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter]
///     var author: Author?
/// }
///
/// let model = try ManagedObjectModel(schema: [Book.self])
/// ```
/// A property's type says what it is: a type of attributes (`String`, `Int`, `Int16`, `Int32`,
/// `Double`, `Float`, `Bool`, `Date`, `Decimal`, `UUID`, `URL`, `Data`, `LargeValue`, an enum that
/// declares ``AttributeValue``), an optional class with `@Model` (to-one), an array, a set or
/// ``ManagedObjects`` of one (to-many), or any other `Codable` type, which is kept as JSON.
/// Properties with accessors of their own, static and lazy ones stay as they are.
///
/// - Parameter originalName: The entity's name in earlier versions of the model.
@attached(member, names: named(schemaEntity))
@attached(memberAttribute)
public macro Model(originalName: String? = nil) = #externalMacro(module: "FolioMacros", type: "ModelMacro")

/// Says more of an attribute of a class with `@Model`.
///
/// ```swift
/// @Attribute(.unique, originalName: "name", minimum: .int(1)) var title: String
/// ```
@attached(peer)
public macro Attribute(
    _ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil,
    minimum: PropertyValue? = nil, maximum: PropertyValue? = nil,
    pattern: String? = nil
) = #externalMacro(module: "FolioMacros", type: "MarkerMacro")

/// Says more of a relationship of a class with `@Model`.
///
/// - Parameter isOrdered: Whether a to-many relationship keeps its members in the order that they
///   are given.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify, minimumModelCount: Int = 0, maximumModelCount: Int = 0,
    originalName: String? = nil, inverse: AnyKeyPath? = nil,
    hashModifier: String? = nil, isOrdered: Bool = false
) = #externalMacro(module: "FolioMacros", type: "MarkerMacro")

/// Keeps an attribute of a class with `@Model` in memory and in undo, and out of stores.
@attached(peer)
public macro Transient() = #externalMacro(module: "FolioMacros", type: "MarkerMacro")

/// Attributes whose values together occur once: `#Unique<Book>([\.isbn], [\.title, \.year])`, among
/// the members of the class.
@freestanding(declaration)
public macro Unique<Object>(_ constraints: [PartialKeyPath<Object>]...) =
    #externalMacro(module: "FolioMacros", type: "DeclarationMarkerMacro")

/// Indexes: `#Index<Book>([\.title], [\.year, \.title])`, among the members of the class.
@freestanding(declaration)
public macro Index<Object>(_ indexes: [PartialKeyPath<Object>]...) =
    #externalMacro(module: "FolioMacros", type: "DeclarationMarkerMacro")

/// Put before the properties of a class by `@Model`; not to be written.
@attached(accessor)
@attached(peer, names: suffixed(Property))
public macro _Persisted() = #externalMacro(module: "FolioMacros", type: "PersistedMacro")
