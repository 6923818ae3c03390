import Schema

/// A condition on objects of a class, written with key paths. It compiles faster than `#Predicate`
/// and is type-checked as well.
///
/// ```swift
/// let books = try context.fetch(Book.self, where: \.year > 1960 && (\Book.author).to(\Author.name).beginsWith("H"), sort: [.ascending(\.title)])
/// ```
/// Key paths must be listed in ``KeyPathNaming/namesByKeyPath``; a key path that is not listed is a
/// programming error and traps.
public struct EntityCondition<Object>: Sendable {
    /// The condition as a predicate.
    public let predicate: FetchPredicate

    package init(_ predicate: FetchPredicate) {
        self.predicate = predicate
    }

    fileprivate init(
        _ left: QueryExpression, _ comparison: ComparisonPredicate.Operator, _ right: PropertyValue,
        _ options: ComparisonPredicate.Options = []
    ) {
        predicate = .comparison(ComparisonPredicate(left, comparison, .constant(right), options: options))
    }

    /// Whether the full-text indexed attributes of the object contain the words, `"phrases"` and
    /// `prefix*` of a query; see ``ComparisonPredicate/Operator/search``.
    public static func searches(_ query: String) -> EntityCondition {
        EntityCondition(.evaluatedObject, .search, .string(query))
    }

    /// True if both conditions are true.
    public static func && (left: EntityCondition, right: EntityCondition) -> EntityCondition {
        EntityCondition(.and([left.predicate, right.predicate]))
    }
    /// True if at least one of the conditions is true.
    public static func || (left: EntityCondition, right: EntityCondition) -> EntityCondition {
        EntityCondition(.or([left.predicate, right.predicate]))
    }
    /// True if the condition is false.
    public static prefix func ! (condition: EntityCondition) -> EntityCondition {
        EntityCondition(.not(condition.predicate))
    }
}

extension FetchRequest {
    /// Creates a request for the objects of an entity that satisfy a condition.
    public init(entityName: String, where condition: EntityCondition<Result>) {
        self.init(entityName: entityName)
        predicate = condition.predicate
    }
}

/// The path from an object to a value that can be used in a condition.
public struct EntityPath<Object, Value>: Sendable {
    package let expression: QueryExpression

    package init(_ expression: QueryExpression) {
        self.expression = expression
    }
}

/// The left side of a condition: a key path of a class that names its properties, or an
/// ``EntityPath`` through several objects.
public protocol EntityOperand<Object, Value> {
    /// The class of the objects that the path starts at.
    associatedtype Object
    /// The type of the value that the path leads to.
    associatedtype Value
    /// The path from the object to the value.
    var entityPath: EntityPath<Object, Value> { get }
}

extension EntityPath: EntityOperand {
    public var entityPath: EntityPath<Object, Value> { self }
}

extension KeyPath: EntityOperand where Root: KeyPathNaming {
    /// The class of the objects that the path starts at.
    public typealias Object = Root
    public var entityPath: EntityPath<Root, Value> {
        guard let name = Root.namesByKeyPath[self] else {
            preconditionFailure("\(Root.self) has no name for \(self): list it in namesByKeyPath")
        }
        return EntityPath(.keyPath(base: nil, components: [name]))
    }
}

// MARK: Comparisons

/// Whether the value is equal to another; nil equals nil only.
public func == <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .equal, right.predicateConstant)
}

/// Whether the value is different from another. Nil is different from every other value.
public func != <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .notEqual, right.predicateConstant)
}

/// Whether the value is less than another; false if it is nil.
public func < <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .less, right.predicateConstant)
}

/// Whether the value is less than or equal to another; false if it is nil.
public func <= <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .lessOrEqual, right.predicateConstant)
}

/// Whether the value is greater than another; false if it is nil.
public func > <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .greater, right.predicateConstant)
}

/// Whether the value is greater than or equal to another; false if it is nil.
public func >= <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: PredicateArgument {
    EntityCondition(left.entityPath.expression, .greaterOrEqual, right.predicateConstant)
}

/// Whether the raw value is equal to that of another value.
public func == <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: RawRepresentable, Operand.Value.RawValue: PredicateArgument {
    EntityCondition(left.entityPath.expression, .equal, right.rawValue.predicateConstant)
}

/// Whether the raw value is different from that of another value.
public func != <Operand: EntityOperand>(left: Operand, right: Operand.Value) -> EntityCondition<Operand.Object>
where Operand.Value: RawRepresentable, Operand.Value.RawValue: PredicateArgument {
    EntityCondition(left.entityPath.expression, .notEqual, right.rawValue.predicateConstant)
}

// The same operators for key paths whose root type is inferred: `where: \.year > 1960`.

/// Whether the value is equal to another; nil equals nil only.
public func == <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .equal, right.predicateConstant)
}

/// Whether the value is different from another. Nil is different from every other value.
public func != <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .notEqual, right.predicateConstant)
}

/// Whether the value is less than another; false if it is nil.
public func < <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .less, right.predicateConstant)
}

/// Whether the value is less than or equal to another; false if it is nil.
public func <= <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .lessOrEqual, right.predicateConstant)
}

/// Whether the value is greater than another; false if it is nil.
public func > <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .greater, right.predicateConstant)
}

/// Whether the value is greater than or equal to another; false if it is nil.
public func >= <Object: KeyPathNaming, Value: PredicateArgument>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
{
    EntityCondition(left.entityPath.expression, .greaterOrEqual, right.predicateConstant)
}

/// Whether the raw value is equal to that of another value.
public func == <Object: KeyPathNaming, Value: RawRepresentable>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
where Value.RawValue: PredicateArgument {
    EntityCondition(left.entityPath.expression, .equal, right.rawValue.predicateConstant)
}

/// Whether the raw value is different from that of another value.
public func != <Object: KeyPathNaming, Value: RawRepresentable>(left: KeyPath<Object, Value>, right: Value)
    -> EntityCondition<Object>
where Value.RawValue: PredicateArgument {
    EntityCondition(left.entityPath.expression, .notEqual, right.rawValue.predicateConstant)
}

extension EntityOperand where Value: PredicateArgument {
    /// Whether the value is one of the given values.
    public func isIn(_ values: some Sequence<Value>) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .in, .list(values.map(\.predicateConstant)))
    }

    /// Whether the value is between two values, inclusive; false if it is nil.
    public func isBetween(_ lower: Value, _ upper: Value) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .between, .list([lower.predicateConstant, upper.predicateConstant]))
    }
}

// MARK: Strings

/// A string or an optional string.
public protocol _OptionalText {}
extension String: _OptionalText {}
extension Optional: _OptionalText where Wrapped == String {}

extension EntityOperand where Value: _OptionalText {
    /// Whether the text contains another text; false if it is nil.
    public func contains(_ text: String, _ options: ComparisonPredicate.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .contains, .string(text), options)
    }
    /// Whether the text begins with another text; false if it is nil.
    public func beginsWith(_ text: String, _ options: ComparisonPredicate.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .beginsWith, .string(text), options)
    }
    /// Whether the text ends with another text; false if it is nil.
    public func endsWith(_ text: String, _ options: ComparisonPredicate.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .endsWith, .string(text), options)
    }
    /// Whether the whole text matches a pattern in which `*` matches any characters and `?` one
    /// character.
    public func isLike(_ pattern: String, _ options: ComparisonPredicate.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .like, .string(pattern), options)
    }
    /// Whether the text contains the words, `"phrases"` and `prefix*` of a query, regardless of
    /// case and accents; see ``ComparisonPredicate/Operator/search``.
    public func searches(_ query: String) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .search, .string(query))
    }
    /// Whether the whole text matches a regular expression.
    public func matches(_ pattern: String, _ options: ComparisonPredicate.Options = []) -> EntityCondition<Object> {
        EntityCondition(entityPath.expression, .matches, .string(pattern), options)
    }
}

// MARK: Relationships

/// An optional object of a class that names its properties.
public protocol _OptionalEntity<Named> {
    /// The class of the object.
    associatedtype Named: KeyPathNaming
}

extension Optional: _OptionalEntity where Wrapped: KeyPathNaming {
    /// The class of the object.
    public typealias Named = Wrapped
}

extension EntityOperand where Value: _OptionalEntity {
    /// The path to a property of the object that a to-one relationship leads to.
    public func to<Next: EntityOperand>(_ next: Next) -> EntityPath<Object, Next.Value>
    where Next.Object == Value.Named {
        guard case .keyPath(nil, let components) = next.entityPath.expression else {
            return EntityPath(next.entityPath.expression)
        }
        return EntityPath(TypedScope.path(entityPath.expression, components))
    }
}

extension EntityOperand where Value: Sequence, Value.Element: KeyPathNaming {
    /// Whether at least one object of a to-many relationship satisfies a condition.
    public func any(_ condition: EntityCondition<Value.Element>) -> EntityCondition<Object> {
        EntityCondition(matching(condition.predicate))
    }

    /// Whether all objects of a to-many relationship satisfy a condition; true if there are none.
    public func all(_ condition: EntityCondition<Value.Element>) -> EntityCondition<Object> {
        EntityCondition(.not(matching(.not(condition.predicate))))
    }

    /// The number of objects of a to-many relationship.
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
        return .comparison(ComparisonPredicate(TypedScope.count(found), .greater, .constant(.int(0))))
    }
}

extension FetchPredicate {
    /// The maximum nesting depth of subqueries.
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
