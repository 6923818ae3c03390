/// A key of a sort order, written with a key path: `.ascending(\.title)`,
/// `.descending((\Book.author).to(\Author.name), .localized)`.
///
/// Key paths must be listed in ``KeyPathNaming/namesByKeyPath``; one that is not listed traps.
public struct EntityOrder<Object: KeyPathNaming>: Sendable {
    /// The order as a sort key.
    public let sortKey: SortKey

    private init(_ path: QueryExpression, isAscending: Bool, _ collation: SortKey.Collation) {
        guard case .keyPath(nil, let components) = path else {
            preconditionFailure("Objects are sorted by a property of theirs or of an object that they lead to")
        }
        sortKey = SortKey(components.joined(separator: "."), ascending: isAscending, collation: collation)
    }

    /// Sorts by a property, the smallest value first.
    public static func ascending<Value>(_ keyPath: KeyPath<Object, Value>, _ collation: SortKey.Collation = .binary)
        -> EntityOrder
    {
        EntityOrder(keyPath.entityPath.expression, isAscending: true, collation)
    }

    /// Sorts by a property, the largest value first.
    public static func descending<Value>(_ keyPath: KeyPath<Object, Value>, _ collation: SortKey.Collation = .binary)
        -> EntityOrder
    {
        EntityOrder(keyPath.entityPath.expression, isAscending: false, collation)
    }

    /// Sorts by a property of a related object, the smallest value first.
    public static func ascending<Value>(_ path: EntityPath<Object, Value>, _ collation: SortKey.Collation = .binary)
        -> EntityOrder
    {
        EntityOrder(path.expression, isAscending: true, collation)
    }

    /// Sorts by a property of a related object, the largest value first.
    public static func descending<Value>(_ path: EntityPath<Object, Value>, _ collation: SortKey.Collation = .binary)
        -> EntityOrder
    {
        EntityOrder(path.expression, isAscending: false, collation)
    }
}
