import Schema

/// A condition on objects of a class, written with key paths: quicker for the compiler than
/// `#Predicate`, and checked by it all the same.
///
/// ```swift
/// let books = try context.fetch(Book.self, where: \.year > 1960 && (\Book.author).to(\Author.name).beginsWith("H"), sort: [.ascending(\.title)])
/// ```
/// Key paths have to be listed in ``KeyPathNaming/namesByKeyPath``: one that is not is a
/// programmer's mistake and traps.
public struct EntityCondition<Object>: Sendable {
    public let predicate: FetchPredicate

    package init(_ predicate: FetchPredicate) {
        self.predicate = predicate
    }

    fileprivate init(
        _ left: QueryExpression, _ comparison: Comparison.Operator, _ right: PropertyValue,
        _ options: Comparison.Options = []
    ) {
        predicate = .comparison(Comparison(left, comparison, .constant(right), options: options))
    }

    /// Whether words, `"phrases"` and `begin*` are found in any of the attributes that the model
    /// chooses for full text; see ``Comparison/Operator/search``.
    public static func searches(_ query: String) -> EntityCondition {
        EntityCondition(.evaluatedObject, .search, .string(query))
    }

    public static func && (left: EntityCondition, right: EntityCondition) -> EntityCondition {
        EntityCondition(.and([left.predicate, right.predicate]))
    }
    public static func || (left: EntityCondition, right: EntityCondition) -> EntityCondition {
        EntityCondition(.or([left.predicate, right.predicate]))
    }
    public static prefix func ! (condition: EntityCondition) -> EntityCondition {
        EntityCondition(.not(condition.predicate))
    }
}

extension FetchRequest {
    /// A request with a condition in key paths.
    public init(_ entityName: String, where condition: EntityCondition<Result>) {
        self.init(entityName)
        predicate = condition.predicate
    }
}

/// Where key paths lead from an object: a value that can stand in a condition.
public struct EntityPath<Object, Value>: Sendable {
    package let expression: QueryExpression

    package init(_ expression: QueryExpression) {
        self.expression = expression
    }
}

/// What conditions can begin with: a key path of a class that names its properties, or several one
/// after the other.
public protocol EntityOperand<Object, Value> {
    associatedtype Object
    associatedtype Value
    /// The path from the object.
    var entityPath: EntityPath<Object, Value> { get }
}

extension EntityPath: EntityOperand {
    public var entityPath: EntityPath<Object, Value> { self }
}

extension KeyPath: EntityOperand where Root: KeyPathNaming {
    public typealias Object = Root
    public var entityPath: EntityPath<Root, Value> {
        guard let name = Root.namesByKeyPath[self] else {
            preconditionFailure("\(Root.self) has no name for \(self): list it in namesByKeyPath")
        }
        return EntityPath(.keyPath(base: nil, components: [name]))
    }
}

// MARK: Comparisons

public func == <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .equal, right.predicateConstant)
}

public func != <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .notEqual, right.predicateConstant)
}

public func < <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .less, right.predicateConstant)
}

public func <= <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .lessOrEqual, right.predicateConstant)
}

public func > <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .greater, right.predicateConstant)
}

public func >= <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .greaterOrEqual, right.predicateConstant)
}

public func == <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: RawRepresentable, Operand.Value.RawValue: PredicateArgument {
    EntityCondition(left.entityPath.expression, .equal, right.rawValue.predicateConstant)
}

public func != <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: RawRepresentable, Operand.Value.RawValue: PredicateArgument {
    EntityCondition(left.entityPath.expression, .notEqual, right.rawValue.predicateConstant)
}

// The same for key paths whose class the context says: `where: \.year > 1960`.

public func == <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .equal, right.predicateConstant)
}

public func != <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .notEqual, right.predicateConstant)
}

public func < <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .less, right.predicateConstant)
}

public func <= <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .lessOrEqual, right.predicateConstant)
}

public func > <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .greater, right.predicateConstant)
}

public func >= <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .greaterOrEqual, right.predicateConstant)
}

public func == <Object: KeyPathNaming, Value: RawRepresentable>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
where Value.RawValue: PredicateArgument {
    EntityCondition(left.entityPath.expression, .equal, right.rawValue.predicateConstant)
}

public func != <Object: KeyPathNaming, Value: RawRepresentable>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
where Value.RawValue: PredicateArgument {
    EntityCondition(left.entityPath.expression, .notEqual, right.rawValue.predicateConstant)
}

extension EntityOperand where Value: PredicateArgument {
    /// Whether the value is one of some.
    public func isIn(_ values: some Sequence<Value>) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .in, .list(values.map(\.predicateConstant)))
    }

    /// Whether the value lies between two, both included.
    public func isBetween(_ lower: Value, _ upper: Value) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .between, .list([lower.predicateConstant, upper.predicateConstant]))
    }
}

// MARK: Texts

/// A text, or none.
public protocol OptionalText {}
extension String: OptionalText {}
extension Optional: OptionalText where Wrapped == String {}

extension EntityOperand where Value: OptionalText {
    public func contains(_ text: String, _ options: Comparison.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .contains, .string(text), options)
    }
    public func beginsWith(_ text: String, _ options: Comparison.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .beginsWith, .string(text), options)
    }
    public func endsWith(_ text: String, _ options: Comparison.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .endsWith, .string(text), options)
    }
    /// Whether the text is like a pattern with `*` for any run and `?` for one character.
    public func isLike(_ pattern: String, _ options: Comparison.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .like, .string(pattern), options)
    }
    /// Whether words, `"phrases"` and `begin*` are found in the text, whatever their case and
    /// accents; see ``Comparison/Operator/search``.
    public func searches(_ query: String) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .search, .string(query))
    }
    /// Whether a regular expression matches the whole text.
    public func matches(_ pattern: String, _ options: Comparison.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .matches, .string(pattern), options)
    }
}

// MARK: Relationships

/// An object of a class that names its properties, or none.
public protocol OptionalEntity<Named> {
    associatedtype Named: KeyPathNaming
}

extension Optional: OptionalEntity where Wrapped: KeyPathNaming {
    public typealias Named = Wrapped
}

extension EntityOperand where Value: OptionalEntity {
    /// A property of the object that a to-one relationship leads to.
    public func to<Next: EntityOperand>(_ next: Next) -> EntityPath<Object, Next.Value>
    where Next.Object == Value.Named {
        guard case .keyPath(nil, let components) = next.entityPath.expression else {
            return EntityPath(next.entityPath.expression)
        }
        return EntityPath(TypedScope.path(entityPath.expression, components))
    }
}

extension EntityOperand where Value: Sequence, Value.Element: KeyPathNaming {
    /// Whether some object of a to-many relationship fits a condition.
    public func any(_ condition: EntityCondition<Value.Element>) -> EntityCondition<Object> {
        EntityCondition(matching(condition.predicate))
    }

    /// Whether all objects of a to-many relationship fit a condition; so do none.
    public func all(_ condition: EntityCondition<Value.Element>) -> EntityCondition<Object> {
        EntityCondition(.not(matching(.not(condition.predicate))))
    }

    /// How many objects a to-many relationship has.
    public var count: EntityPath<Object, Int> { EntityPath(TypedScope.count(entityPath.expression)) }

    private func matching(_ predicate: FetchPredicate) -> FetchPredicate {
        let name = "element\(predicate.subqueryDepth)"
        let inner = predicate.replacing { expression, _ in
            switch expression {
            case .evaluatedObject: .variable(name)
            case .keyPath(nil, let components): .keyPath(base: .variable(name), components: components)
            default: nil
            }
        }
        let found = QueryExpression.subquery(collection: entityPath.expression, variable: name, predicate: inner)
        return .comparison(Comparison(TypedScope.count(found), .greater, .constant(.int(0))))
    }
}

extension FetchPredicate {
    /// How deep subqueries are nested.
    fileprivate var subqueryDepth: Int {
        var deepest = 0
        _ = replacing { expression, bound in
            deepest = max(deepest, bound.count)
            if case .subquery(_, let variable, _) = expression { deepest = max(deepest, bound.union([variable]).count) }
            return nil
        }
        return deepest
    }
}
