package import Schema

/// A key path that is prepared for evaluation, by rules 1 and 2 of ``CompiledPredicate``.
package struct QueryPath {
    private enum Step {
        /// A property of a known entity, by index.
        case property(Int, isToMany: Bool)
        /// A property that is looked up in each value by name.
        case key(String)
        /// An aggregate over the values of the rest of the path for the elements.
        case aggregate(QueryFunction, rest: [Step])
    }

    private let steps: [Step]

    private static let mostToManySteps = 6
    private static let mostMultiplied = 1 << 22

    /// Throws if a path has too many to-many relationships. Each of them multiplies the number of
    /// visited objects.
    package static func check(toManySteps: Int, entity: EntityDescription, key: String?) throws(QueryError) {
        if toManySteps <= mostToManySteps { return }
        throw QueryError(
            .limit,
            "A path goes through \(mostToManySteps) to-many relationships at most, and this one through \(toManySteps): each multiplies the objects that are looked at",
            entity: entity.name, key: key)
    }

    /// Throws if several to-many relationships have produced too many elements from one object. The
    /// objects of the first relationship do not count, because a store can't have more of them than
    /// rows.
    package static func check(multiplied count: Int) throws(QueryError) {
        if count > mostMultiplied {
            throw QueryError(
                .limit,
                "A path through several to-many relationships leads from one object to more than \(mostMultiplied) elements"
            )
        }
    }

    /// - Parameter entity: The entity of the objects that the path begins at, if it is known.
    init(_ components: [String], from entity: EntityDescription?, in model: ManagedObjectModel?) throws {
        steps = try Self.steps(components[...], from: entity, in: model)
    }

    private static func steps(
        _ components: ArraySlice<String>, from entity: EntityDescription?, in model: ManagedObjectModel?
    )
        throws -> [Step]
    {
        var steps: [Step] = []
        var current = entity
        for (index, component) in zip(components.indices, components) {
            if component.hasPrefix("@") {
                guard let function = QueryFunction(collectionOperator: component) else {
                    throw QueryError(.unsupported, "There is no collection operator \(component)", key: component)
                }
                steps.append(
                    .aggregate(function, rest: try Self.steps(components[(index + 1)...], from: current, in: model)))
                return steps
            }
            if let property = current?.property(named: component) {
                steps.append(.property(property.index, isToMany: property.isToMany))
                current = property.relationship.flatMap { relationship in model?.destination(of: relationship) }
            } else {
                steps.append(.key(component))
                current = nil
            }
        }
        return steps
    }

    func follow(from start: QueryValue) throws -> QueryValue {
        try Self.follow(steps, from: start)
    }

    private static func follow(_ steps: [Step], from start: QueryValue) throws -> QueryValue {
        var value = start
        for step in steps {
            switch step {
            case .aggregate(let function, let rest):
                guard let elements = value.elements else {
                    throw QueryError(.type, "\(function.rawValue) takes a collection")
                }
                if rest.isEmpty { return try aggregate(function, of: value) }
                return try aggregate(function, of: follow(rest, from: .collection(elements, isOrdered: false)))
            case .property, .key:
                value = try take(step, from: value)
            }
        }
        return value
    }

    private static func take(_ step: Step, from value: QueryValue) throws -> QueryValue {
        switch value {
        case .object(let object):
            switch step {
            case .property(let index, _): return try object.queryValue(at: index)
            case .key("objectID"), .key("self"): return .object(object)
            case .key(let key): return try object.queryValue(forKey: key)
            case .aggregate: return value
            }
        case .collection(let elements, let isOrdered):
            var result: [QueryValue] = []
            result.reserveCapacity(elements.count)
            var keepsOrder = isOrdered
            for element in elements {
                let next = try take(step, from: element)
                if case .collection(let inner, _) = next {
                    keepsOrder = false
                    try check(multiplied: result.count + inner.count)
                    result += inner
                } else {
                    result.append(next)
                }
            }
            return .collection(result, isOrdered: keepsOrder)
        case .scalar(let scalar):
            if ScalarRules.isNull(scalar) {
                if case .property(_, isToMany: true) = step { return .collection([], isOrdered: false) }
                return .null
            }
            guard case .key(let key) = step else {
                throw QueryError(.type, "A \(ScalarRules.kind(of: scalar)) has no properties")
            }
            switch scalar {
            case .composite(let elements): return .scalar(elements[key] ?? .null)
            case .string(let text) where key == "length": return .scalar(.int(Int64(text.utf16.count)))
            case _ where key == "self": return value
            default:
                throw QueryError(.unknownKey, "A \(ScalarRules.kind(of: scalar)) has no property \"\(key)\"", key: key)
            }
        }
    }

    static func aggregate(_ function: QueryFunction, of value: QueryValue) throws -> QueryValue {
        guard let elements = value.elements else { throw QueryError(.type, "\(function.rawValue) takes a collection") }
        if function == .count { return .scalar(.int(Int64(elements.count { !$0.isNull }))) }
        return .scalar(try ScalarRules.aggregate(function, try elements.map { try $0.scalar() }))
    }
}
