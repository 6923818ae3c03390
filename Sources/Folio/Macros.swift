/// Declares a class as the class of an entity. Its stored properties become the attributes and
/// relationships of the entity.
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
/// The type of a property determines its kind. Attributes have one of the types `String`, `Int`,
/// `Int16`, `Int32`, `Double`, `Float`, `Bool`, `Date`, `Decimal`, `UUID`, `URL`, `Data` and
/// ``LargeValue``, an enum that conforms to ``AttributeValue``, or any other `Codable` type, which
/// is stored as JSON. An optional class with `@Model` is a to-one relationship; an array, a set or
/// ``ManagedObjects`` of such a class is a to-many relationship. Computed, static and lazy
/// properties are not part of the model.
///
/// - Parameter originalName: The entity's name in earlier versions of the model.
@attached(member, names: named(_schemaEntity))
@attached(memberAttribute)
public macro Model(originalName: String? = nil) = #externalMacro(module: "FolioMacros", type: "ModelMacro")

/// Sets options of an attribute of a class with `@Model`.
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

/// Sets options of a relationship of a class with `@Model`.
///
/// - Parameter isOrdered: Whether a to-many relationship is ordered.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify, minimumModelCount: Int = 0, maximumModelCount: Int = 0,
    originalName: String? = nil, inverse: AnyKeyPath? = nil,
    hashModifier: String? = nil, isOrdered: Bool = false
) = #externalMacro(module: "FolioMacros", type: "MarkerMacro")

/// Excludes an attribute of a class with `@Model` from stores. Its value is kept in memory and by
/// undo.
@attached(peer)
public macro Transient() = #externalMacro(module: "FolioMacros", type: "MarkerMacro")

/// Declares uniqueness constraints among the members of a class with `@Model`:
/// `#Unique<Book>([\.isbn], [\.title, \.year])`. The values of the attributes of a list together
/// are unique in a store.
@freestanding(declaration)
public macro Unique<Object>(_ constraints: [PartialKeyPath<Object>]...) =
    #externalMacro(module: "FolioMacros", type: "DeclarationMarkerMacro")

/// Declares indexes among the members of a class with `@Model`:
/// `#Index<Book>([\.title], [\.year, \.title])`.
@freestanding(declaration)
public macro Index<Object>(_ indexes: [PartialKeyPath<Object>]...) =
    #externalMacro(module: "FolioMacros", type: "DeclarationMarkerMacro")

/// Attached to the properties of a class by `@Model`. Not for direct use.
@attached(accessor)
@attached(peer, names: suffixed(Property))
public macro _Persisted() = #externalMacro(module: "FolioMacros", type: "PersistedMacro")
