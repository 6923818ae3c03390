package import Folio

/// The values of `--with NAME=VALUE` for the variables `$NAME` of conditions and expressions.
///
/// A value is text of the command line. It gets the type of what the variable is compared with;
/// elsewhere it is a number if it is written as one, otherwise a string.
package struct VariableValues {
    private let texts: [String: [String]]
    /// Values that have a type already.
    private let constants: [String: PropertyValue]
    /// How messages name the option or parameter that gives values.
    private let source: (name: String, form: String)

    /// Values of a type, of a parameter of the server.
    package init(_ constants: [String: PropertyValue], parameter: String) {
        texts = [:]
        self.constants = constants
        source = ("the parameter \(parameter)", "give it one in the parameter \(parameter)")
    }

    /// No values.
    package init() { self.init([:], parameter: "") }

    /// - Throws: A usage error for a value without a name.
    package init(_ assignments: [String]) throws {
        var texts: [String: [String]] = [:]
        for assignment in assignments {
            guard let equals = assignment.firstIndex(of: "="), equals != assignment.startIndex else {
                throw InterchangeError.usage("--with takes NAME=VALUE, not \(assignment)")
            }
            let name = assignment[..<equals].drop { $0 == "$" }
            texts[String(name), default: []].append(String(assignment[assignment.index(after: equals)...]))
        }
        self.texts = texts
        constants = [:]
        source = ("--with", "give it one: --with NAME=VALUE")
    }

    private var names: [String] { (Array(texts.keys) + constants.keys).sorted() }

    /// - Parameter names: The variables of all conditions and expressions of the command line.
    /// - Throws: A usage error for a value that no variable has.
    package func checkUse(_ names: some Sequence<String>) throws {
        let names = Set(names)
        guard let unused = self.names.first(where: { !names.contains($0) }) else { return }
        throw InterchangeError.usage(
            "\(source.name) \(unused): there is no variable $\(unused)"
                + (names.isEmpty
                    ? " in a condition" : ", only " + names.sorted().map { "$" + $0 }.joined(separator: ", ")),
            hint: Suggestion.sentence(for: unused, among: names.sorted())
                ?? "write $\(unused) in the condition, in single quotes for the shell")
    }

    /// A predicate with values in the place of its variables.
    /// - Throws: A usage error for a value of the wrong type, or a variable without a value.
    package func binding(_ predicate: FetchPredicate, of entity: EntityDescription, in store: StoreIdentity) throws
        -> FetchPredicate
    {
        let bound = try names.isEmpty ? predicate : Binding(self, entity, store).predicate(predicate)
        try refuse(bound.variables)
        return bound
    }

    /// An expression with values in the place of its variables.
    package func binding(_ expression: QueryExpression, of entity: EntityDescription, in store: StoreIdentity) throws
        -> QueryExpression
    {
        let bound = try names.isEmpty ? expression : Binding(self, entity, store).expression(expression)
        try refuse(Self.variables(bound))
        return bound
    }

    package static func variables(_ expression: QueryExpression) -> [String] {
        FetchPredicate.comparison(ComparisonPredicate(expression, .equal, .constant(.null))).variables
    }

    private func refuse(_ unbound: [String]) throws {
        guard let name = unbound.first else { return }
        throw InterchangeError.usage(
            "$\(name) has no value",
            hint: Suggestion.sentence(for: name, among: names)
                ?? source.form.replacing("NAME", with: name))
    }

    /// The replacement of the variables of one entity's conditions.
    private struct Binding {
        package let values: VariableValues
        package let entity: EntityDescription
        package let store: StoreIdentity
        /// The entities of the variables of enclosing subqueries; nil if it is unknown.
        package var elements: [String: EntityDescription?] = [:]

        package init(_ values: VariableValues, _ entity: EntityDescription, _ store: StoreIdentity) {
            (self.values, self.entity, self.store) = (values, entity, store)
        }

        package func predicate(_ predicate: FetchPredicate) throws -> FetchPredicate {
            switch predicate {
            case .constant: return predicate
            case .not(let inner): return .not(try self.predicate(inner))
            case .and(let parts): return .and(try parts.map(self.predicate))
            case .or(let parts): return .or(try parts.map(self.predicate))
            case .comparison(var comparison):
                let left = comparison.left, right = comparison.right
                let isList = [.in, .between].contains(comparison.operator)
                comparison.left = try expression(left, like: right)
                comparison.right = try expression(right, like: left, isList: isList)
                return .comparison(comparison)
            }
        }

        /// - Parameters:
        ///   - other: What the expression is compared with.
        ///   - isList: Whether a single value is a list.
        package func expression(_ expression: QueryExpression, like other: QueryExpression? = nil, isList: Bool = false)
            throws
            -> QueryExpression
        {
            switch expression {
            case .constant, .evaluatedObject: return expression
            case .variable(let name):
                guard elements[name] == nil else { return expression }
                if let constant = values.constants[name] { return .constant(constant) }
                guard let texts = values.texts[name] else { return expression }
                let type = other.map(type) ?? .unknown
                let list = try texts.map { try value($0, type, name) }
                return .constant(list.count == 1 && !isList ? list[0] : .list(list))
            case .keyPath(let base, let components):
                return .keyPath(base: try base.map { try self.expression($0) }, components: components)
            case .aggregate(let parts):
                let parts = try parts.map { try self.expression($0, like: other) }
                let constants = parts.compactMap { if case .constant(let value) = $0 { value } else { nil } }
                return constants.count == parts.count ? .constant(.list(constants)) : .aggregate(parts)
            case .function(let name, let arguments):
                return .function(name, try arguments.map { try self.expression($0) })
            case .call(let target, let selector, let arguments):
                return .call(
                    target: try self.expression(target), selector: selector,
                    arguments: try arguments.map { try self.expression($0) })
            case .subquery(let collection, let variable, let predicate):
                var inner = self
                if case .collection(.object(let entity), _) = type(collection) {
                    inner.elements[variable] = .some(entity)
                } else {
                    inner.elements[variable] = .some(nil)
                }
                return .subquery(
                    collection: try self.expression(collection), variable: variable,
                    predicate: try inner.predicate(predicate))
            case .conditional(let predicate, let then, let otherwise):
                return .conditional(
                    try self.predicate(predicate), try self.expression(then, like: other),
                    try self.expression(otherwise, like: other))
            case .cast(let operand, let type): return .cast(try self.expression(operand), type)
            case .element(let base, .at(let place)):
                return .element(of: try self.expression(base), .at(try self.expression(place)))
            case .element(let base, let index): return .element(of: try self.expression(base), index)
            }
        }

        private func type(_ expression: QueryExpression) -> StaticType {
            switch expression {
            case .keyPath(.variable(let name), let components):
                guard let known = elements[name], let entity = known else { return .unknown }
                return type(.keyPath(base: nil, components: components), of: entity)
            case .variable: return .unknown
            default: return type(expression, of: entity)
            }
        }

        private func type(_ expression: QueryExpression, of entity: EntityDescription) -> StaticType {
            (try? expression.validated(against: entity, in: store.model, store: store, aggregatesRows: true))?.type
                ?? .unknown
        }

        private func value(_ text: String, _ type: StaticType, _ name: String) throws -> PropertyValue {
            switch type {
            case .collection(let element, _): return try value(text, element, name)
            case .unknown: return Self.number(text) ?? .string(text)
            // Text is converted by the rules of comparisons.
            case .number(.decimal), .number(.boolean): return text.isEmpty ? .null : .string(text)
            case .number:
                if text.isEmpty { return .null }
                guard let number = Self.number(text) else {
                    throw InterchangeError.usage("--with \(name)=\(text): it is compared with a number")
                }
                return number
            case .string: return .string(text)
            default: return text.isEmpty ? .null : .string(text)
            }
        }

        private static func number(_ text: String) -> PropertyValue? {
            Int64(text).map { .int($0) } ?? Double(text).map { .double($0) }
        }
    }
}
