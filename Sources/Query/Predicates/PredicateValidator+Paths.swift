import Schema

// Key paths: resolves every key and converts aggregates to one form.
extension PredicateValidator {
    func path(base: QueryExpression?, components: [String]) throws -> Typed {
        guard let base else {
            return try path(from: Typed(expression: .evaluatedObject, type: .object(entity)), components)
        }
        return try path(from: try expression(base), components)
    }

    /// The path that continues from `base`.
    func path(from base: Typed, _ components: [String]) throws -> Typed {
        var root: QueryExpression?
        var first: [String] = []
        switch base.expression {
        case .evaluatedObject: break
        case .keyPath(let inner, let keys): (root, first) = (inner, keys)
        default: root = base.expression
        }
        let isOperator = { (component: String) in component.hasPrefix("@") }
        let keys = components.filter { !isOperator($0) }
        let operators = components.filter(isOperator)
        guard operators.count <= 1 else {
            throw QueryError(
                .unsupported, "A path takes one collection operator, not \(operators.count)", entity: entity.name)
        }
        let resolved = try resolve(keys, from: base.type)
        let path = expression(root, first + resolved.keys)
        let toManySteps = base.toManySteps + resolved.toManySteps
        try QueryPath.check(toManySteps: toManySteps, entity: entity, key: keys.first)
        let lastToMany = resolved.lastToMany.map { $0 + first.count } ?? base.lastToMany
        guard let name = operators.first else {
            if resolved.isLength {
                if resolved.type.elements != nil {
                    throw QueryError(
                        .unsupported, "The length of many strings can't be asked for", entity: entity.name,
                        key: keys.joined(separator: "."))
                }
                return Typed(expression: .function(QueryFunction.length.rawValue, [path]), type: .number(nil))
            }
            return Typed(expression: path, type: resolved.type, lastToMany: lastToMany, toManySteps: toManySteps)
        }
        guard let function = QueryFunction(collectionOperator: name) else {
            let known = ["@count", "@sum", "@avg", "@min", "@max"]
            throw QueryError(
                .unsupported,
                "There is no collection operator \(name)"
                    + NearestNames.question(NearestNames.nearest(to: name, among: known)),
                entity: entity.name, key: name, suggestions: NearestNames.nearest(to: name, among: known))
        }
        return try aggregate(function, of: Typed(expression: path, type: resolved.type, lastToMany: lastToMany))
    }

    /// The aggregate of a collection in the form `a.b.@op.c`; the aggregate of a list of
    /// expressions as a function.
    func aggregate(_ function: QueryFunction, of many: Typed) throws -> Typed {
        let collection = many.expression
        guard let element = many.type.elements?.type ?? (aggregatesRows ? many.type : nil) else {
            throw typeError("\(function.rawValue) takes a collection: \(collection) is a \(many.type.name)")
        }
        let result: StaticType
        switch function {
        case .count: result = .number(.integer64)
        case .sum, .average:
            guard element.isNumber else {
                throw typeError(
                    "\(function.rawValue) takes numbers: \(collection) holds values of type \(element.name)")
            }
            result = .number(nil)
        default:
            guard element.hasOrder else {
                throw typeError(
                    "\(function.rawValue) takes values with an order: \(collection) holds values of type \(element.name)"
                )
            }
            result = element
        }
        if many.type.elements == nil {
            if collection.aggregatesRows {
                throw typeError("\(function.rawValue) can't be taken of \(collection), which is an aggregate itself")
            }
            return Typed(expression: .function(function.rawValue, [collection]), type: result)
        }
        let name =
            switch function {
            case .count: "@count"
            case .sum: "@sum"
            case .average: "@avg"
            case .min: "@min"
            default: "@max"
            }
        switch collection {
        case .keyPath(let base, var components):
            components.insert(name, at: many.lastToMany.map { $0 + 1 } ?? 0)
            return Typed(expression: .keyPath(base: base, components: components), type: result)
        case .subquery, .variable:
            return Typed(expression: .keyPath(base: collection, components: [name]), type: result)
        default:
            return Typed(expression: .function(function.rawValue, [collection]), type: result)
        }
    }

    private func expression(_ root: QueryExpression?, _ keys: [String]) -> QueryExpression {
        keys.isEmpty ? root ?? .evaluatedObject : .keyPath(base: root, components: keys)
    }

    /// The result of resolving a path.
    struct Resolution {
        /// The keys without `self` and `objectID`.
        var keys: [String] = []
        var type: StaticType
        /// The index in `keys` of the last to-many relationship.
        var lastToMany: Int?
        var toManySteps = 0
        /// Whether the path ends in the `length` of a string.
        var isLength = false
    }

    /// Resolves every key of a path that starts at a value of type `start`.
    func resolve(_ keys: [String], from start: StaticType) throws -> Resolution {
        var result = Resolution(type: start)
        for (index, key) in keys.enumerated() {
            let (current, isMany) = result.type.elements.map { ($0.type, true) } ?? (result.type, false)
            let next: StaticType
            switch current {
            case .object(let owner):
                guard let property = owner.property(named: key) else {
                    if key == "objectID" || key == "self" { continue }
                    throw unknownKey(key, of: owner)
                }
                guard !property.isTransient else {
                    throw QueryError(
                        .unsupported, "\(owner.name).\(key) is transient: stores don't hold it", entity: owner.name,
                        key: key)
                }
                switch property.kind {
                case .attribute(let attribute): next = .attribute(attribute, in: model)
                case .relationship(let relationship):
                    guard let destination = model.destination(of: relationship) else {
                        throw unknownKey(key, of: owner)
                    }
                    if relationship.isToMany {
                        result.lastToMany = result.keys.count
                        result.toManySteps += 1
                        next = .collection(.object(destination), isOrdered: relationship.isOrdered)
                    } else {
                        next = .object(destination)
                    }
                }
            case .composite(let composite):
                guard let attribute = composite.attributes.first(where: { $0.name == key }) else {
                    throw unknownKey(key, ofOwner: composite.name, among: composite.attributes.map(\.name))
                }
                next = .attribute(attribute, in: model)
            case .string where key == "length" && index == keys.count - 1:
                result.isLength = true
                return result
            case .reference, .unknown:
                throw QueryError(
                    .unsupported, "The entity of what \"\(key)\" is asked of is not known", entity: entity.name,
                    key: key)
            default:
                throw QueryError(
                    .unknownKey, "A \(current.name) has no property \"\(key)\"", entity: entity.name,
                    key: keys.joined(separator: "."))
            }
            result.keys.append(key)
            if isMany, case .collection(let element, _) = next {
                result.type = .collection(element, isOrdered: false)
            } else if isMany {
                result.type = .collection(next, isOrdered: result.type.elements?.isOrdered ?? false)
            } else {
                result.type = next
            }
        }
        return result
    }

    private func unknownKey(_ key: String, of owner: EntityDescription) -> QueryError {
        if owner.fetchedProperties.contains(where: { $0.name == key }) {
            return QueryError(
                .unsupported, "\(owner.name).\(key) is a fetched property: stores don't hold it", entity: owner.name,
                key: key)
        }
        return unknownKey(key, ofOwner: owner.name, among: owner.properties.filter { !$0.isTransient }.map(\.name))
    }

    private func unknownKey(_ key: String, ofOwner owner: String, among names: [String]) -> QueryError {
        let near = NearestNames.nearest(to: key, among: names)
        return QueryError(
            .unknownKey, "\(owner) has no property \"\(key)\"" + NearestNames.question(near), entity: owner, key: key,
            suggestions: near)
    }
}
