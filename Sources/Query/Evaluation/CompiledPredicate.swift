package import Foundation
package import Schema

/// A predicate made ready to be run on many objects: keys are looked up, constants folded and
/// patterns compiled once.
///
/// It follows ``ScalarRules`` and these:
/// 1. A path through nil is nil; through nil into a to-many relationship it is an empty collection,
///    as a join finds no rows.
/// 2. A path through to-many relationships gives one flat collection, a value for every object
///    reached, equal ones included; a to-one step behind a to-many that is nil gives a nil in the
///    collection.
/// 3. ANY is true where one value of the left side makes the comparison true, so false for an empty
///    collection; ALL where every value does, so true for an empty one; NONE is NOT of ANY. A nil
///    left side counts as empty, any other single value as a collection of one.
/// 4. IN and CONTAINS on collections ask for an equal value, a nil for a nil. IN with a string on
///    its right side, and CONTAINS on one, ask for a substring; an empty one is in every string.
///    They are false where the text or the collection is nil.
/// 5. An element beyond the end of an ordered collection is nil, as is one of a nil. `[FIRST]` and
///    `[LAST]` need an order or at most one element.
/// 6. In a SUBQUERY plain keys and SELF mean the outer object, `$x` the element; variables of outer
///    subqueries are visible.
/// 7. `now()` is the time at which the predicate was compiled. A cast that has no value is nil.
package struct CompiledPredicate {
    typealias Test = (inout PredicateScope) throws -> Bool

    private let test: Test

    /// - Parameters:
    ///   - entity, model: Where given, the predicate has been validated against this entity, and
    ///     objects are asked for properties by their place.
    ///   - variables: What `$name` stands for, objects included.
    /// - Throws: ``QueryError`` with code `unboundVariable`, `unsupported` or, for patterns,
    ///   `syntax`.
    package init(
        _ predicate: FetchPredicate, entity: EntityDescription? = nil, model: ManagedObjectModel? = nil,
        variables: [String: QueryValue] = [:], now: Date = Date()
    ) throws(QueryError) {
        test = try QueryError.typed {
            try PredicateCompiler(entity: entity, model: model, now: now, bindings: variables.mapValues { .value($0) })
                .test(predicate)
        }
    }

    /// - Throws: ``QueryError`` with code `type` or `limit`; what filling a fault throws.
    package func matches(_ object: any QueryObject) throws -> Bool {
        try matches(.object(object))
    }

    package func matches(_ value: QueryValue) throws -> Bool {
        var scope = PredicateScope(root: value)
        return try test(&scope)
    }

    /// Compiles a predicate whose variables `slots` get their values with each object.
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

/// An expression made ready to be computed for many objects, by the rules of ``CompiledPredicate``.
package struct CompiledExpression {
    typealias Value = (inout PredicateScope) throws -> QueryValue

    private let compute: Value

    /// Parameters and errors as for ``CompiledPredicate``.
    package init(
        _ expression: QueryExpression, entity: EntityDescription? = nil, model: ManagedObjectModel? = nil,
        variables: [String: QueryValue] = [:], now: Date = Date()
    ) throws(QueryError) {
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

    /// Compiles an expression whose variables `slots` get their values with each object.
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

/// What a predicate sees while it runs.
struct PredicateScope {
    /// SELF.
    let root: QueryValue
    /// The values that variables got with the object, then those of the subqueries' variables,
    /// outer ones first.
    var slots: [QueryValue] = []
}
