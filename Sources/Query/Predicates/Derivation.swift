package import Schema

/// How a derived attribute's value comes about, in the few forms that a store can keep up to date
/// by itself (CoreDataBehavior L53): `now()`; `name` or `department.name`, a copy over to-one
/// relationships, also as `canonical:(name)`, `uppercase:(name)` or `lowercase:(name)`;
/// `items.@count` and `items.price.@sum`, also with `@min`, `@max` and `@avg`, behind to-one
/// relationships too.
package struct Derivation: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        /// The time of the last save that changed the object.
        case now
        /// An attribute at the end of the steps, a text passed through a function.
        case copy(Property, QueryFunction?)
        /// Over the members of a relationship at the end of the steps: how many, or an aggregate of
        /// one of their attributes.
        case aggregate(QueryFunction, over: Property, of: Property?)
    }

    /// The derived attribute, as the entity has it that declares it.
    package let property: Property
    /// The to-one relationships to follow first.
    package let steps: [Property]
    package let form: Form

    /// The entity that declares the attribute, by its position in the model.
    package var entityIndex: Int { property.declaringEntityIndex }

    /// The derivations of a model's attributes, each once.
    /// - Throws: ``QueryError`` where an expression has none of the forms.
    package static func all(in model: ManagedObjectModel) throws(QueryError) -> [Derivation] {
        var all: [Derivation] = []
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                if let derivation = try Derivation(property, of: entity, in: model) { all.append(derivation) }
            }
        }
        return all
    }

    /// Nil for an attribute that is not derived, or that no store keeps.
    /// - Throws: ``QueryError`` with code `unsupported`, `type`, `unknownKey` or `syntax`, naming
    ///   the attribute.
    package init?(_ property: Property, of entity: Entity, in model: ManagedObjectModel) throws(QueryError) {
        guard let attribute = property.attribute, !attribute.isTransient, let text = attribute.derivationExpression
        else { return nil }
        var reader = DerivationReader(property, attribute, text, entity, model)
        self.property = property
        (steps, form) = try reader.read()
    }
}

/// Reads a derivation's expression.
private struct DerivationReader {
    private let property: Property
    private let attribute: AttributeDescription
    private let text: String
    private let entity: Entity
    private let model: ManagedObjectModel
    private var steps: [Property] = []

    init(
        _ property: Property, _ attribute: AttributeDescription, _ text: String, _ entity: Entity,
        _ model: ManagedObjectModel
    ) {
        self.property = property
        self.attribute = attribute
        self.text = text
        self.entity = entity
        self.model = model
    }

    mutating func read() throws(QueryError) -> (steps: [Property], form: Derivation.Form) {
        let expression: QueryExpression
        do { expression = try QueryExpression(format: text) } catch {
            throw fault(error.code, error.message)
        }
        switch expression {
        case .function(QueryFunction.now.rawValue, _):
            try check(
                attribute.type == .date, "the time is a date, and the attribute is of type \(attribute.type.name)")
            return ([], .now)
        case .keyPath(nil, let path): return try read(path, nil)
        case .function(let name, let arguments):
            guard let function = QueryFunction(rawValue: name),
                [.canonical, .uppercase, .lowercase, .count, .sum, .min, .max, .average].contains(function),
                case .keyPath(nil, let path)? = arguments.first
            else { break }
            // The aggregates' functions are another spelling of the operators, which archives use.
            if !function.isAggregate { return try read(path, function) }
            return try read(path + [Self.operatorName(function)], nil)
        default: break
        }
        throw fault(
            .unsupported,
            "no store keeps such a value: it can be now(), a path to an attribute, canonical:, uppercase: or lowercase: of one, or a path that ends with @count, @sum, @min, @max or @avg"
        )
    }

    private static func operatorName(_ function: QueryFunction) -> String {
        switch function {
        case .sum: "@sum"
        case .min: "@min"
        case .max: "@max"
        case .average: "@avg"
        default: "@count"
        }
    }

    private mutating func read(_ path: [String], _ function: QueryFunction?) throws(QueryError) -> (
        steps: [Property], form: Derivation.Form
    ) {
        var path = path
        var aggregate: QueryFunction?
        if let last = path.last, last.hasPrefix("@") {
            guard let found = QueryFunction(collectionOperator: last) else {
                throw fault(.unsupported, "there is no collection operator \(last)")
            }
            aggregate = found
            path.removeLast()
        }
        if let misplaced = path.first(where: { $0.hasPrefix("@") }) {
            throw fault(.unsupported, "the operator \(misplaced) must stand at the end, as in items.price.@sum")
        }
        var current = entity
        for (index, name) in path.enumerated() {
            guard let found = current.property(named: name) else {
                let near = NearestNames.nearest(to: name, among: current.properties.map(\.name))
                throw fault(.unknownKey, "\(current.name) has no property \"\(name)\"" + NearestNames.question(near))
            }
            try check(!found.isTransient, "\(current.name).\(name) is transient: no store keeps it")
            let rest = Array(path[(index + 1)...])
            guard let relationship = found.relationship, let destination = model.destination(of: relationship) else {
                try check(
                    rest.isEmpty && aggregate == nil, "\(current.name).\(name) is an attribute: nothing can follow it")
                return try copy(found, function, isOwn: steps.isEmpty)
            }
            if relationship.isToMany { return try members(found, destination, rest, aggregate, function) }
            steps.append(found)
            current = destination
        }
        throw fault(.type, "the path ends at a relationship, not at a value")
    }

    private func copy(_ source: Property, _ function: QueryFunction?, isOwn: Bool) throws(QueryError) -> (
        steps: [Property], form: Derivation.Form
    ) {
        guard let from = source.attribute else { throw fault(.type, "the path ends at a relationship, not at a value") }
        try check(!isOwn || source.index != property.index, "it would be made of itself")
        if function != nil {
            try check(
                from.type == .string && attribute.type == .string, "only a string is made of a string by that function")
        } else {
            try checkSame(from)
        }
        return (steps, .copy(source, function))
    }

    private func members(
        _ relation: Property, _ destination: Entity, _ rest: [String], _ aggregate: QueryFunction?,
        _ function: QueryFunction?
    ) throws(QueryError) -> (steps: [Property], form: Derivation.Form) {
        try check(function == nil, "a function takes one value, and \(relation.name) has many")
        guard let aggregate else {
            throw fault(.type, "\(relation.name) has many objects: end the path with @count, @sum, @min, @max or @avg")
        }
        if aggregate == .count {
            try check(rest.isEmpty, "@count stands directly behind the relationship")
            try check(
                attribute.type.isNumeric, "a count is a number, and the attribute is of type \(attribute.type.name)")
            return (steps, .aggregate(.count, over: relation, of: nil))
        }
        guard rest.count == 1, let found = destination.property(named: rest[0]), let of = found.attribute,
            !found.isTransient
        else {
            throw fault(
                .unsupported,
                "one attribute of \(destination.name) must stand between \(relation.name) and the operator")
        }
        if aggregate == .sum || aggregate == .average {
            try check(of.type.isNumeric && attribute.type.isNumeric, "numbers are added up to a number")
        } else {
            try checkSame(of)
            try check(
                of.type.isNumeric || of.type == .date || of.type == .string,
                "values of type \(of.type.name) have no order")
        }
        return (steps, .aggregate(aggregate, over: relation, of: found))
    }

    private func checkSame(_ source: AttributeDescription) throws(QueryError) {
        try check(
            source.type == attribute.type || source.type.isNumeric && attribute.type.isNumeric,
            "it is of type \(attribute.type.name), and its source of type \(source.type.name)")
        try check(
            ![.composite, .undefined, .objectID].contains(source.type),
            "values of type \(source.type.name) are not copied")
        try check(
            !source.allowsExternalBinaryDataStorage && !attribute.allowsExternalBinaryDataStorage,
            "values that may be kept in files of their own are not copied")
    }

    private func check(_ condition: Bool, _ message: String) throws(QueryError) {
        if !condition { throw fault(.type, message) }
    }

    private func fault(_ code: QueryError.Code, _ message: String) -> QueryError {
        QueryError(
            code, "\(entity.name).\(attribute.name) is derived from \(text): \(message)", text: text,
            entity: entity.name, key: attribute.name)
    }
}
