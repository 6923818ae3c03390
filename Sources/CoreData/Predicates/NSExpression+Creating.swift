public import Foundation
import Query
import Schema

extension NSExpression {
    /// Creates an expression from format text and values for its placeholders. Traps for text that
    /// is no expression.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(format: format, values: arguments)
    }

    /// Creates an expression from format text and an array of values for its placeholders. Traps
    /// for text that is no expression.
    public convenience init(format: String, argumentArray: [Any]) {
        self.init(format: format, values: argumentArray)
    }

    private convenience init(format: String, values: [Any?]) {
        do {
            self.init(try QueryExpression(format: format, arguments: PlaceholderValue.arguments(values)))
        } catch {
            preconditionFailure("Unable to parse the format string \"\(format)\": \(error)")
        }
    }

    /// A constant. Traps for a value that no predicate can have.
    public convenience init(forConstantValue value: Any?) {
        guard let constant = BridgedValue.propertyValue(value) else {
            preconditionFailure(
                "An expression can't have a value of the type \(value.map { type(of: $0) } ?? Any.self)")
        }
        self.init(.constant(constant))
    }

    /// A variable, `$NAME`.
    public convenience init(forVariable name: String) { self.init(.variable(name)) }

    /// A key path from SELF.
    public convenience init(forKeyPath keyPath: String) {
        do {
            self.init(try QueryExpression(format: keyPath))
        } catch {
            self.init(.keyPath(keyPath))
        }
    }

    /// A key path from SELF.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(.keyPath(KeyNames.required(keyPath)))
    }

    /// A function by its name, such as `sum:`, `count:` or `add:to:`.
    public convenience init(forFunction name: String, arguments: [Any]) {
        self.init(.function(name, arguments.map(Self.expression)))
    }

    /// A function of an object, by its selector.
    public convenience init(forFunction target: NSExpression, selectorName: String, arguments: [Any]?) {
        self.init(
            .call(target: target.query, selector: selectorName, arguments: (arguments ?? []).map(Self.expression)))
    }

    /// A collection of expressions.
    public convenience init(forAggregate elements: [Any]) {
        let expressions = elements.map(Self.expression)
        var constants: [PropertyValue] = []
        for case .constant(let value) in expressions { constants.append(value) }
        self.init(
            constants.count == expressions.count ? .constant(.list(constants)) : .aggregate(expressions))
    }

    /// The elements of a collection that satisfy a predicate. Traps for a predicate of a closure.
    public convenience init(
        forSubquery collection: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        do {
            self.init(
                .subquery(collection: collection.query, variable: variable, predicate: try predicate.fetchPredicate()))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// One of two expressions. Traps for a predicate of a closure.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        do {
            self.init(.conditional(try predicate.fetchPredicate(), trueExpression.query, falseExpression.query))
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
