// What the accessors that `@Model` writes resolve to, by the type of the property. Nobody else
// needs to call these.
extension ManagedObject {
    public static func typedProperty<Value: AttributeValue>(_ name: String, _ type: Value.Type) -> TypedAttribute<Value>
    { TypedAttribute(name) }
    public static func typedProperty<Value: AttributeValue>(_ name: String, _ type: Value?.Type) -> TypedAttribute<
        Value
    > { TypedAttribute(name) }
    public static func typedProperty<Destination: ManagedObject>(_ name: String, _ type: Destination?.Type)
        -> TypedToOne<Destination>
    { TypedToOne(name) }
    public static func typedProperty<Members: ManagedObjectCollection>(_ name: String, _ type: Members.Type)
        -> TypedToMany<Members>
    { TypedToMany(name) }
    @_disfavoredOverload
    public static func typedProperty<Value: Codable>(_ name: String, _ type: Value.Type) -> TypedCodable<Value> {
        TypedCodable(name)
    }
    @_disfavoredOverload
    public static func typedProperty<Value: Codable>(_ name: String, _ type: Value?.Type) -> TypedCodable<Value> {
        TypedCodable(name)
    }

    /// A to-many relationship is never nil: `fallback` is there for the macro alone.
    public final subscript<Members>(relationship: TypedToMany<Members>, default fallback: @autoclosure () -> Members)
        -> Members
    {
        get { self[relationship] }
        set { self[relationship] = newValue }
    }

    public final subscript<Members>(required relationship: TypedToMany<Members>) -> Members {
        get { self[relationship] }
        set { self[relationship] = newValue }
    }

    @available(
        *, unavailable, message: "the object at the other end can be missing: declare the relationship as optional"
    )
    public final subscript<Destination>(required relationship: TypedToOne<Destination>) -> Destination { fatalError() }

    @available(
        *, unavailable,
        message: "a value of this type can be missing: give the property an initial value, or declare it as optional"
    )
    @_disfavoredOverload
    public final subscript<Value>(required attribute: TypedAttribute<Value>) -> Value { fatalError() }

    @available(
        *, unavailable,
        message: "a value of this type can be missing: give the property an initial value, or declare it as optional"
    )
    public final subscript<Value>(required attribute: TypedCodable<Value>) -> Value { fatalError() }
}
