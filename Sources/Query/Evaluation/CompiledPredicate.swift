package import Foundation
package import Schema

/// A predicate that is prepared for evaluation on many objects: keys are resolved, constants are
/// folded and patterns are compiled once.
///
/// It follows ``ScalarRules`` and these rules:
/// 1. A path through nil is nil. A path through nil into a to-many relationship is an empty
///    collection, like a join that finds no rows.
/// 2. A path through to-many relationships gives one flat collection with a value for every object
///    reached, duplicates included. A nil to-one relationship after a to-many relationship adds a
///    nil to the collection.
/// 3. ANY is true if the comparison is true for at least one value of the left side, so it is false
///    for an empty collection. ALL is true if the comparison is true for every value, so it is true
///    for an empty collection. NONE is NOT of ANY. A nil left side counts as empty, any other
///    single value as a collection of one.
/// 4. IN and CONTAINS on collections look for an equal value; a nil equals a nil. IN with a string
///    on its right side, and CONTAINS with a string on its left side, look for a substring; the
///    empty string is contained in every string. They are false if the text or the collection is
///    nil.
/// 5. An element beyond the end of an ordered collection is nil, and so is an element of nil.
///    `[FIRST]` and `[LAST]` require an ordered collection or at most one element.
/// 6. In a SUBQUERY, plain keys and SELF refer to the outer object and `$x` to the element.
///    Variables of outer subqueries are visible.
/// 7. `now()` is the time at which the predicate was compiled. A cast that is not possible is nil.
package struct CompiledPredicate {
    typealias Test = (inout PredicateScope) throws -> Bool

    private let test: Test

    /// - Parameters:
    ///   - entity, model: The entity that the predicate was validated against, and its model. If
    ///     they are given, properties are read by index.
    ///   - variables: The values of the variables `$name`, objects included.
    /// - Throws: ``QueryError`` with code `unboundVariable`, `unsupported` or, for patterns,
    ///   `syntax`.
    package init(
        _ predicate: FetchPredicate, entity: EntityDescription? = nil, model: ManagedObjectModel? = nil,
        variables: [String: QueryValue] = [:], now: Date = Date()
    ) throws(QueryError) {
        let predicate = try predicate.bounded(TreeDepth.evaluationLimit)
        test = try QueryError.typed {
            try PredicateCompiler(entity: entity, model: model, now: now, bindings: variables.mapValues { .value($0) })
                .test(predicate)
        }
    }

    /// - Throws: ``QueryError`` with code `type` or `limit`, and any error of firing a fault.
    package func matches(_ object: any QueryObject) throws -> Bool {
        try matches(.object(object))
    }

    package func matches(_ value: QueryValue) throws -> Bool {
        var scope = PredicateScope(root: value)
        return try test(&scope)
    }

    /// Compiles a predicate whose variables `slots` receive their values with each object.
    init(_ predicate: FetchPredicate, entity: EntityDescription, model: ManagedObjectModel, slots: [String], now: Date)
        throws(QueryError)
    {
        test = try QueryError.typed {
            try PredicateCompiler(entity: entity, model: model, now: now, slots: slots).test(predicate)
        }
    }

    func matches(_ value: QueryValue, slots: [QueryValue]) throws -> Bool {
        var scope = PredicateScope(root: value, slots: slots)
        return try test(&scope)
    }

    package func filter<Object: QueryObject>(_ objects: [Object]) throws -> [Object] {
        try objects.filter { try matches($0) }
    }
}

/// An expression that is prepared for evaluation on many objects, by the rules of
/// ``CompiledPredicate``.
package struct CompiledExpression {
    typealias Value = (inout PredicateScope) throws -> QueryValue

    private let compute: Value

    /// The parameters and errors are those of ``CompiledPredicate``.
    package init(
        _ expression: QueryExpression, entity: EntityDescription? = nil, model: ManagedObjectModel? = nil,
        variables: [String: QueryValue] = [:], now: Date = Date()
    ) throws(QueryError) {
        let expression = try expression.bounded(TreeDepth.evaluationLimit)
        compute = try QueryError.typed {
            try PredicateCompiler(entity: entity, model: model, now: now, bindings: variables.mapValues { .value($0) })
                .value(expression)
        }
    }

    package func value(for object: any QueryObject) throws -> QueryValue {
        try value(for: .object(object))
    }

    package func value(for value: QueryValue) throws -> QueryValue {
        var scope = PredicateScope(root: value)
        return try compute(&scope)
    }

    /// Compiles an expression whose variables `slots` receive their values with each object.
    init(
        _ expression: QueryExpression, entity: EntityDescription, model: ManagedObjectModel, slots: [String], now: Date
    )
        throws(QueryError)
    {
        compute = try QueryError.typed {
            try PredicateCompiler(entity: entity, model: model, now: now, slots: slots).value(expression)
        }
    }

    func value(for value: QueryValue, slots: [QueryValue]) throws -> QueryValue {
        var scope = PredicateScope(root: value, slots: slots)
        return try compute(&scope)
    }
}

/// The values that a predicate can refer to while it is evaluated.
struct PredicateScope {
    /// SELF.
    let root: QueryValue
    /// The values of the variables that come with the object, then those of the variables of
    /// subqueries, outermost first.
    var slots: [QueryValue] = []
}
