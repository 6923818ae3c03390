import Schema

extension PredicateCompiler {
    func value(_ expression: QueryExpression) throws -> CompiledExpression.Value {
        switch expression {
        case .constant(let value):
            return { _ in .scalar(value) }
        case .evaluatedObject:
            return { $0.root }
        case .keyPath(let base, let components):
            let path = try QueryPath(components, from: base.map(entity(of:)) ?? entity, in: model)
            guard let base else { return { try path.follow(from: $0.root) } }
            let start = try value(base)
            return { try path.follow(from: start(&$0)) }
        case .variable(let name):
            switch bindings[name] {
            case .value(let value): return { _ in value }
            case .slot(let index, _): return { $0.slots[index] }
            case nil: throw QueryError(.unboundVariable, "The variable $\(name) has no value", key: name)
            }
        case .aggregate(let elements):
            let elements = try elements.map(value)
            return { scope in .collection(try elements.map { try $0(&scope) }, isOrdered: true) }
        case .function(let name, let arguments):
            guard let function = QueryFunction(rawValue: name) else {
                throw QueryError(.unsupported, "There is no function \(name)")
            }
            return try value(function, arguments)
        case .call(let target, let selector, let arguments):
            guard let function = QueryFunction(selector: selector), arguments.isEmpty else {
                throw QueryError(.unsupported, "FUNCTION can't call \"\(selector)\" here")
            }
            return try value(function, [target])
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate)
        case .conditional(let predicate, let then, let otherwise):
            let (condition, then, otherwise) = (try test(predicate), try value(then), try value(otherwise))
            return { try condition(&$0) ? then(&$0) : otherwise(&$0) }
        case .cast(let operand, let name):
            guard let type = CastType(name: name) else {
                throw QueryError(.unsupported, "There is no type \"\(name)\" to cast to")
            }
            let operand = try value(operand)
            return { .scalar(type.convert(try operand(&$0).scalar()) ?? .null) }
        case .element(let base, let index):
            return try element(try value(base), index)
        }
    }

    private func value(_ function: QueryFunction, _ arguments: [QueryExpression]) throws -> CompiledExpression.Value {
        guard arguments.count == function.argumentCount else {
            throw QueryError(
                .type, "\(function.rawValue) takes \(function.argumentCount) arguments, not \(arguments.count)")
        }
        // An unknown zone is an error without objects, too.
        if function == .local, case .constant(.string(let name)) = arguments[1] {
            _ = try ScalarRules.zone(named: name)
        }
        let arguments = try arguments.map(value)
        let now = now
        if function.isAggregate {
            return { scope in
                let collection = try arguments[0](&scope)
                return try QueryPath.aggregate(function, of: collection)
            }
        }
        return { scope in
            var values: [PropertyValue] = []
            values.reserveCapacity(arguments.count)
            for argument in arguments { values.append(try argument(&scope).scalar()) }
            return .scalar(try ScalarRules.apply(function, values, now: now))
        }
    }

    private func subquery(_ collection: QueryExpression, _ variable: String, _ predicate: FetchPredicate) throws
        -> CompiledExpression.Value
    {
        let elements = try value(collection)
        var inner = self
        inner.depth += 1
        inner.bindings[variable] = .slot(depth, entity(of: collection))
        let condition = try inner.test(predicate)
        let slot = depth
        return { scope in
            let value = try elements(&scope)
            guard let candidates = value.elements else { throw QueryError(.type, "SUBQUERY takes a collection") }
            var isOrdered = true
            if case .collection(_, let order) = value { isOrdered = order }
            // The slots of outer subqueries come first. The slots of inner subqueries have been
            // removed at this point.
            scope.slots.append(.null)
            defer { scope.slots.removeLast() }
            var matching: [QueryValue] = []
            for candidate in candidates {
                scope.slots[slot] = candidate
                if try condition(&scope) { matching.append(candidate) }
            }
            return .collection(matching, isOrdered: isOrdered)
        }
    }

    private func element(_ base: @escaping CompiledExpression.Value, _ index: QueryExpression.Index) throws
        -> CompiledExpression.Value
    {
        let position: CompiledExpression.Value
        switch index {
        case .size: return { try QueryPath.aggregate(.count, of: base(&$0)) }
        case .first: return { try Self.ordered(base(&$0)).first ?? .null }
        case .last: return { try Self.ordered(base(&$0)).last ?? .null }
        case .at(let expression): position = try value(expression)
        }
        return { scope in
            let collection = try base(&scope)
            let place = try position(&scope).scalar()
            if case .string(let key) = place {
                return try QueryPath([key], from: nil, in: nil).follow(from: collection)
            }
            let elements = try Self.ordered(collection)
            guard let number = ScalarRules.double(place) else {
                if ScalarRules.isNull(place) { return .null }
                throw QueryError(.type, "A \(ScalarRules.kind(of: place)) is no place in a collection")
            }
            return number >= 0 && number < Double(elements.count) ? elements[Int(number)] : .null
        }
    }

    private static func ordered(_ value: QueryValue) throws -> [QueryValue] {
        guard let elements = value.elements else { throw QueryError(.type, "Only a collection has elements") }
        if case .collection(_, isOrdered: false) = value, elements.count > 1 {
            throw QueryError(.type, "A collection without an order has no element at a place")
        }
        return elements
    }

    /// The entity of the objects that an expression evaluates to, if it is known without
    /// evaluation.
    private func entity(of expression: QueryExpression) -> EntityDescription? {
        switch expression {
        case .evaluatedObject: return entity
        case .variable(let name):
            if case .slot(_, let entity) = bindings[name] { return entity }
            return nil
        case .keyPath(let base, let components):
            var current = base.map(entity(of:)) ?? entity
            for component in components {
                guard let model, let relationship = current?.property(named: component)?.relationship else {
                    return nil
                }
                current = model.destination(of: relationship)
            }
            return current
        case .subquery(let collection, _, _): return entity(of: collection)
        case .element(let base, _): return entity(of: base)
        default: return nil
        }
    }
}
