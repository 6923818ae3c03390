import Schema

// Expressions other than paths.
extension PredicateValidator {
    func expression(_ expression: QueryExpression) throws -> Typed {
        switch expression {
        case .constant(let value): return Typed(expression: expression, type: .constant(value))
        case .evaluatedObject: return Typed(expression: expression, type: .object(entity))
        case .keyPath(let base, let components): return try path(base: base, components: components)
        case .variable(let name):
            guard let type = variables[name] else {
                throw QueryError(.unboundVariable, "The variable $\(name) has no value", key: name)
            }
            return Typed(expression: expression, type: type)
        case .aggregate(let elements): return try list(elements)
        case .function(let name, let arguments):
            guard let function = QueryFunction(rawValue: name) else {
                throw QueryError(.unsupported, "There is no function \(name)")
            }
            return try self.function(function, try arguments.map(self.expression))
        case .call(let target, let selector, let arguments):
            return try call(try self.expression(target), selector, arguments)
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate)
        case .conditional(let predicate, let then, let otherwise):
            return try conditional(
                try self.predicate(predicate), try self.expression(then), try self.expression(otherwise))
        case .cast(let operand, let type): return try cast(try self.expression(operand), type)
        case .element(let base, let index): return try element(of: try self.expression(base), index)
        }
    }

    private func list(_ elements: [QueryExpression]) throws -> Typed {
        let typed = try elements.map(expression)
        if let many = typed.first(where: { $0.type.elements != nil }) {
            throw typeError("A list can't hold \(many.expression), which has many values")
        }
        return Typed(
            expression: .aggregate(typed.map(\.expression)),
            type: .collection(typed.lazy.map(\.type).first { !$0.isUnknown } ?? .unknown, isOrdered: true),
            elements: typed)
    }

    private func function(_ function: QueryFunction, _ arguments: [Typed]) throws -> Typed {
        let tree = QueryExpression.function(function.rawValue, arguments.map(\.expression))
        guard arguments.count == function.argumentCount else {
            throw typeError("\(function.rawValue) takes \(function.argumentCount) arguments, not \(arguments.count)")
        }
        if function.isAggregate {
            return try aggregate(function, of: arguments[0])
        }
        if let many = arguments.first(where: { $0.type.elements != nil }) {
            throw typeError("\(function.rawValue) takes single values: \(many.expression) has many")
        }
        switch function {
        case .now: return Typed(expression: tree, type: .date)
        case .relevance: return try relevance(arguments)
        case .indexed: return try indexed(arguments)
        case .noIndex: return Typed(expression: tree, type: arguments[0].type)
        case .lowercase, .uppercase, .canonical, .length:
            let argument = arguments[0]
            var isFit = argument.type.isText
            if function == .length, case .binary(isExternal: false) = argument.type { isFit = true }
            guard isFit else {
                throw typeError(
                    "\(function.rawValue) takes a string: \(argument.expression) is a \(argument.type.name)")
            }
            return Typed(expression: tree, type: function == .length ? .number(nil) : .string)
        case .local: return try local(arguments)
        case _ where function.isDatePart:
            let argument = arguments[0]
            guard case .date = argument.type else {
                if argument.type.isUnknown { return Typed(expression: tree, type: .number(nil)) }
                throw typeError("\(function.rawValue) takes a date: \(argument.expression) is a \(argument.type.name)")
            }
            return Typed(expression: tree, type: .number(nil))
        case .add, .subtract:
            switch (arguments[0].type, arguments[1].type) {
            case (.date, .date) where function == .subtract: return Typed(expression: tree, type: .number(nil))
            case (.date, .number), (.date, .unknown): return Typed(expression: tree, type: .date)
            case (.number, .date) where function == .add: return Typed(expression: tree, type: .date)
            default: break
            }
        default: break
        }
        for argument in arguments where !argument.type.isNumber {
            throw typeError("\(function.rawValue) takes numbers: \(argument.expression) is a \(argument.type.name)")
        }
        return Typed(expression: tree, type: .number(nil))
    }

    /// A date in a time zone, which may be an attribute's value.
    private func local(_ arguments: [Typed]) throws -> Typed {
        let (date, zone) = (arguments[0], arguments[1])
        let name = QueryFunction.local.rawValue
        switch date.type {
        case .date, .unknown: break
        default: throw typeError("\(name) takes a date: \(date.expression) is a \(date.type.name)")
        }
        guard zone.type.isText else {
            throw typeError("\(name) takes the name of a time zone: \(zone.expression) is a \(zone.type.name)")
        }
        if case .constant(.string(let text)) = zone.expression { _ = try ScalarRules.zone(named: text) }
        return Typed(expression: .function(name, arguments.map(\.expression)), type: .date)
    }

    /// `FUNCTION(x, 'selector')` for the methods of `NSString` that have a function.
    private func call(_ target: Typed, _ selector: String, _ arguments: [QueryExpression]) throws -> Typed {
        guard let function = QueryFunction(selector: selector), arguments.isEmpty else {
            throw QueryError(.unsupported, "FUNCTION can't call \"\(selector)\" here", entity: entity.name)
        }
        return try self.function(function, [target])
    }

    private func subquery(_ collection: QueryExpression, _ variable: String, _ predicate: FetchPredicate) throws
        -> Typed
    {
        let collection = try expression(collection)
        guard let elements = collection.type.elements else {
            throw typeError("SUBQUERY takes a collection: \(collection.expression) is a \(collection.type.name)")
        }
        var inner = self
        inner.variables[variable] = elements.type
        inner.aggregatesRows = false
        let tree = QueryExpression.subquery(
            collection: collection.expression, variable: variable, predicate: try inner.predicate(predicate))
        return Typed(expression: tree, type: collection.type)
    }

    private func conditional(_ predicate: FetchPredicate, _ then: Typed, _ otherwise: Typed) throws -> Typed {
        if let many = [then, otherwise].first(where: { $0.type.elements != nil }) {
            throw typeError("A branch of TERNARY can't be \(many.expression), which has many values")
        }
        let (left, right) = (converted(then, like: otherwise), converted(otherwise, like: then))
        guard left.type.isComparable(with: right.type) else {
            throw typeError(
                "The branches of TERNARY differ: \(left.expression) is a \(left.type.name), \(right.expression) a \(right.type.name)"
            )
        }
        return Typed(
            expression: .conditional(predicate, left.expression, right.expression),
            type: left.type.isUnknown ? right.type : left.type)
    }

    /// Converts a constant branch to the type of the other branch if possible.
    private func converted(_ branch: Typed, like other: Typed) -> Typed {
        if case .constant = other.expression { return branch }
        guard case .constant(let value) = branch.expression,
            let converted = ConstantCoercion.convert(value, to: other.type, store: store)
        else { return branch }
        return Typed(expression: .constant(converted), type: .constant(converted))
    }

    private func cast(_ operand: Typed, _ name: String) throws -> Typed {
        guard let cast = CastType(name: name) else {
            throw QueryError(.unsupported, "There is no type \"\(name)\" to cast to")
        }
        let type: StaticType =
            switch cast {
            case .date: .date
            case .number, .decimal: .number(nil)
            case .string: .string
            case .uuid: .uuid
            case .uri: .uri
            case .data: .binary(isExternal: false)
            case .object: .reference
            }
        if case .constant(let value) = operand.expression {
            let converted =
                cast == .object ? ConstantCoercion.convert(value, to: .reference, store: store) : cast.convert(value)
            guard let converted else { throw typeError("\(operand.expression) can't be cast to \(name)") }
            return Typed(expression: .constant(converted), type: type)
        }
        if operand.type.elements != nil { throw typeError("\(operand.expression) has many values: it can't be cast") }
        return Typed(expression: .cast(operand.expression, name), type: type)
    }

    private func element(of base: Typed, _ index: QueryExpression.Index) throws -> Typed {
        if case .size = index {
            return try function(.count, [base])
        }
        if case .at(.constant(.string(let key))) = index, base.type.elements == nil {
            return try path(from: base, [key])
        }
        guard let elements = base.type.elements else {
            throw typeError("\(base.expression) is a \(base.type.name): it has no elements")
        }
        guard elements.isOrdered else {
            throw typeError("\(base.expression) has no order: no element of it has a place")
        }
        var place = index
        if case .at(let position) = index {
            let typed = try expression(position)
            guard typed.type.isNumber else { throw typeError("\(position) is no place in \(base.expression)") }
            place = .at(typed.expression)
        }
        return Typed(expression: .element(of: base.expression, place), type: elements.type)
    }
}

extension QueryFunction {
    /// The function that `FUNCTION(x, 'selector')` calls.
    init?(selector: String) {
        switch selector {
        case "lowercaseString", "localizedLowercaseString": self = .lowercase
        case "uppercaseString", "localizedUppercaseString": self = .uppercase
        case "length": self = .length
        default: return nil
        }
    }
}
