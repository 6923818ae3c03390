/// An order of objects of a class, written with a key path: `.ascending(\.title)`,
/// `.descending((\Book.author).to(\Author.name), .localized)`.
///
/// Key paths have to be known to the class, as those of an ``EntityCondition``.
public struct EntityOrder<Object: KeyPathNaming>: Sendable {
    public let sortKey: SortKey

    private init(_ path: QueryExpression, isAscending: Bool, _ collation: SortKey.Collation) {
        guard case .keyPath(nil, let components) = path else {
            preconditionFailure("Objects are sorted by a property of theirs or of an object that they lead to")
        }
        sortKey = SortKey(components.joined(separator: "."), ascending: isAscending, collation: collation)
    }

    public static func ascending<Value>(_ keyPath: KeyPath<Object, Value>, _ collation: SortKey.Collation = .binary)
        -> EntityOrder
    {
        EntityOrder(keyPath.entityPath.expression, isAscending: true, collation)
    }

    public static func descending<Value>(_ keyPath: KeyPath<Object, Value>, _ collation: SortKey.Collation = .binary)
        -> EntityOrder
    {
        EntityOrder(keyPath.entityPath.expression, isAscending: false, collation)
    }

    public static func ascending<Value>(_ path: EntityPath<Object, Value>, _ collation: SortKey.Collation = .binary)
        -> EntityOrder
    {
        EntityOrder(path.expression, isAscending: true, collation)
    }

    public static func descending<Value>(_ path: EntityPath<Object, Value>, _ collation: SortKey.Collation = .binary)
        -> EntityOrder
    {
        EntityOrder(path.expression, isAscending: false, collation)
    }
}
