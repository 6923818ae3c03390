public import Foundation
import ObjectGraph
import Query
import Schema

/// An expression with a value, in a comparison, a computed column or a mapping.
///
/// Foundation has an empty class of this name on Linux. A file that imports Foundation, too, and
/// names this type rather than calling its initializers needs
/// `import class CoreData.NSExpression`.
open class NSExpression: NSObject {
    /// The kind of an expression. The raw values are Apple's.
    public enum ExpressionType: UInt, Sendable {
        /// A constant.
        case constantValue = 0
        /// SELF.
        case evaluatedObject
        /// A variable.
        case variable
        /// A key path.
        case keyPath
        /// A function.
        case function
        /// The union of two collections.
        case unionSet
        /// The intersection of two collections.
        case intersectSet
        /// The difference of two collections.
        case minusSet
        /// A subquery.
        case subquery = 13
        /// A collection of expressions.
        case aggregate
        /// Any key; only Spotlight knows it.
        case anyKey
        /// A closure.
        case block = 19
        /// One of two expressions.
        case conditional = 20
    }

    private let ownQuery: QueryExpression
    /// The expression for Folio's predicates.
    var query: QueryExpression { ownQuery }
    private let closure: ((Any?, [Any], NSMutableDictionary?) -> Any?)?
    private let closureArguments: [NSExpression]

    init(_ query: QueryExpression) {
        ownQuery = query
        closure = nil
        closureArguments = []
    }

    /// A closure. It can be evaluated in memory, and not be part of a request.
    public init(block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?) {
        ownQuery = .function("block", [])
        closure = block
        closureArguments = arguments ?? []
    }

    /// SELF.
    open class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

    /// The expression for a request that is about to be executed.
    ///
    /// - Throws: Errors of subclasses whose value has to be fetched.
    func currentQuery() throws -> QueryExpression { query }

    static func expression(_ value: Any) -> QueryExpression {
        if let expression = value as? NSExpression { return expression.query }
        return NSExpression(forConstantValue: value).query
    }

    // MARK: Parts

    /// The kind of the expression.
    open var expressionType: ExpressionType {
        if closure != nil { return .block }
        switch query {
        case .constant(.list), .aggregate: return .aggregate
        case .constant: return .constantValue
        case .evaluatedObject: return .evaluatedObject
        case .keyPath: return .keyPath
        case .variable: return .variable
        case .function, .call, .cast, .element: return .function
        case .subquery: return .subquery
        case .conditional: return .conditional
        }
    }

    /// The value of a constant; nil for others.
    open var constantValue: Any? {
        if case .constant(let value) = query { BridgedValue.plain(value, in: nil) } else { nil }
    }

    /// The text of a key path; empty for others.
    open var keyPath: String { if case .keyPath = query { query.expressionFormat } else { "" } }

    /// The name of a variable; empty for others.
    open var variable: String { if case .variable(let name) = query { name } else { "" } }

    /// The name of a function; empty for others.
    open var function: String {
        switch query {
        case .function(let name, _): name
        case .call(_, let selector, _): selector
        default: ""
        }
    }

    /// The arguments of a function; nil for others.
    open var arguments: [NSExpression]? {
        if closure != nil { return closureArguments }
        switch query {
        case .function(_, let arguments), .call(_, _, let arguments): return arguments.map { NSExpression($0) }
        default: return nil
        }
    }

    /// The target of a function, or the first part of a conditional or a subquery; the expression
    /// itself for others.
    open var operand: NSExpression {
        switch query {
        case .call(let target, _, _): NSExpression(target)
        case .keyPath(let base?, _): NSExpression(base)
        case .cast(let operand, _), .element(let operand, _): NSExpression(operand)
        default: self
        }
    }

    /// The collection of a subquery, or the elements of an aggregate; nil for others.
    open var collection: Any? {
        switch query {
        case .subquery(let collection, _, _): NSExpression(collection)
        case .aggregate(let elements): elements.map { NSExpression($0) }
        case .constant(.list(let values)): values.map { NSExpression(.constant($0)) }
        default: nil
        }
    }

    /// The predicate of a subquery or a conditional; always true for others.
    open var predicate: NSPredicate {
        switch query {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): FormatPredicate.make(predicate)
        default: NSPredicate(value: true)
        }
    }

    /// The first of two expressions of a conditional; the expression itself for others.
    open var `true`: NSExpression { if case .conditional(_, let then, _) = query { NSExpression(then) } else { self } }
    /// The second of two expressions of a conditional; the expression itself for others.
    open var `false`: NSExpression {
        if case .conditional(_, _, let otherwise) = query { NSExpression(otherwise) } else { self }
    }

    /// The value for an object. `context` has the values of variables by their names. Traps where
    /// it has none, as Core Data does.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        if let closure {
            return closure(
                object, closureArguments.map { $0.expressionValue(with: object, context: context) ?? NSNull() }, context
            )
        }
        let query = bound(by: context)
        do {
            if let object = object as? ManagedObject {
                return BridgedValue.plain(try CompiledExpression(query).value(for: object), in: object.owningContext)
            }
            return BridgedValue.plain(
                try CompiledExpression(query).value(for: .scalar(BridgedValue.propertyValue(object) ?? .null)), in: nil)
        } catch {
            preconditionFailure("\(query.expressionFormat) can't be evaluated: \(error)")
        }
    }

    /// The expression with the values of variables in their place. Traps for a value that no
    /// expression can have.
    private func bound(by context: NSMutableDictionary?) -> QueryExpression {
        guard let context, context.count > 0 else { return query }
        return FetchPredicate.replacing(query) { expression, bound in
            guard case .variable(let name) = expression, !bound.contains(name),
                let value = context.object(forKey: name)
            else { return nil }
            return Self.expression(value)
        }
    }

    open override var description: String { query.expressionFormat }

    open override func isEqual(_ object: Any?) -> Bool {
        guard closure == nil, let other = object as? NSExpression else { return object as? NSExpression === self }
        return other.closure == nil && other.query == query
    }

    open override var hash: Int { query.hashValue }
}

extension NSExpression: NSCopying {
    /// The expression itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
