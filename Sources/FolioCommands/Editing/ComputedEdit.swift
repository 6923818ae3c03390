import Folio

/// An assignment `key:=EXPRESSION`, whose value is computed for each object.
struct ComputedEdit {
    let key: String
    private let property: PropertyDescription
    /// One expression, or several strings that are joined.
    private let parts: [CompiledExpression]
    private let model: ManagedObjectModel

    /// The expression of an assignment; nil if its value is the same for all objects.
    static func text(of assignment: Assignment) -> String? {
        guard assignment.operation == .json, (try? JSONReader.value(of: assignment.text)) == nil else { return nil }
        // Text that begins as JSON is JSON with an error, unless it is an expression.
        let isJSON = assignment.text.first.map { "[{\"".contains($0) } ?? true
        return isJSON && (try? QueryExpression(format: assignment.text)) == nil ? nil : assignment.text
    }

    /// - Throws: A usage error or `QueryError` for an expression that can't be computed.
    init(
        _ assignment: Assignment, _ text: String, _ entity: EntityDescription, _ values: VariableValues,
        _ store: StoreIdentity
    )
        throws
    {
        key = assignment.key
        property = try EntityLookup.property(named: key, of: entity)
        model = store.model
        do {
            let expression = try values.binding(QueryExpression(format: text), of: entity, in: store)
            parts = try Self.parts(expression, of: entity, in: store).map { part in
                try CompiledExpression(
                    part.validated(against: entity, in: store.model, store: store).expression, entity: entity,
                    model: store.model)
            }
        } catch let error as QueryError {
            var failure = InterchangeError(mapping: error)
            failure.message = "\(key):= is neither JSON nor an expression: \(failure.message)"
            if error.code == .unknownKey || error.code == .syntax {
                failure.hint = failure.hint ?? "a JSON string has quotes: \(key):='\"text\"'"
            }
            throw failure
        }
    }

    /// The change of an object.
    /// - Throws: A usage error for a value that the property does not take.
    func edit(of object: ManagedObject) throws -> Edit {
        let value = try self.value(of: object)
        guard let attribute = property.attribute else {
            guard property.isToMany else {
                let id = try Self.object(value)
                try check(id)
                return .toOne(property.name, id)
            }
            guard case .collection(let elements, _) = value else { throw mismatch("one value") }
            let ids = try elements.compactMap(Self.object)
            for id in ids { try check(id) }
            return .toMany(property.name, ids)
        }
        let scalar: PropertyValue
        switch value {
        case .scalar(let value): scalar = value
        case .object: throw mismatch("an object")
        case .collection: throw mismatch("many values")
        }
        return .attribute(property.name, try converted(scalar, attribute))
    }

    /// The operands of `+` between strings; otherwise the expression itself.
    private static func parts(_ expression: QueryExpression, of entity: EntityDescription, in store: StoreIdentity)
        throws -> [QueryExpression]
    {
        func operands(_ expression: QueryExpression) -> [QueryExpression] {
            guard case .function(let name, let arguments) = expression, name == QueryFunction.add.rawValue else {
                return [expression]
            }
            return arguments.flatMap(operands)
        }
        let operands = operands(expression)
        let hasString = operands.contains { operand in
            if case .string? = (try? operand.validated(against: entity, in: store.model, store: store))?.type {
                return true
            }
            return false
        }
        return hasString ? operands : [expression]
    }

    /// The value for an object. Strings joined with nil are nil.
    private func value(of object: ManagedObject) throws -> QueryValue {
        if parts.count == 1 { return try parts[0].value(for: object) }
        var text = ""
        for part in parts {
            switch try part.value(for: object) {
            case .scalar(.null): return .null
            case .scalar(.string(let string)): text += string
            case .scalar(let value):
                throw InterchangeError.usage(
                    "+ joins strings, and “\(ValueText.plain(value) ?? "")” is none",
                    hint: "CAST(…, 'NSString') makes it one")
            default: throw InterchangeError.usage("+ joins strings, and an object is none")
            }
        }
        return .scalar(.string(text))
    }

    private static func object(_ value: QueryValue) throws -> ManagedObjectID? {
        switch value {
        case .object(let object): return object.queryID
        case .scalar(.object(let id)): return id
        case .scalar(.null): return nil
        default: throw InterchangeError.usage("it takes objects, and the expression gives other values")
        }
    }

    private func check(_ id: ManagedObjectID?) throws {
        guard let id, let relationship = property.relationship, let destination = model.destination(of: relationship),
            !id.entity.isKind(of: destination)
        else { return }
        throw InterchangeError.usage("it takes objects of \(destination.name), not of \(id.entity.name)")
    }

    private func mismatch(_ found: String) -> InterchangeError {
        let kind = property.attribute?.type.name ?? "a relationship"
        return InterchangeError.usage("\(key) is \(kind), and the expression gives \(found)")
    }

    private func converted(_ value: PropertyValue, _ attribute: AttributeDescription) throws -> PropertyValue {
        switch (attribute.type, value) {
        case (_, .null), (.boolean, .bool), (.date, .date), (.string, .string), (.uuid, .uuid), (.uri, .uri),
            (.binary, .data), (.binary, .large), (.transformable, .data), (.composite, .composite),
            (.decimal, .decimal):
            return value
        case (.integer16, .int), (.integer32, .int), (.integer64, .int), (.double, .int), (.float, .int),
            (.decimal, .int),
            (.double, .double), (.float, .double), (.float, .float), (.double, .float), (.decimal, .double),
            (.decimal, .float), (.boolean, .int), (.integer16, .double), (.integer32, .double), (.integer64, .double),
            (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal), (.double, .decimal),
            (.float, .decimal), (.integer16, .bool), (.integer32, .bool), (.integer64, .bool):
            guard let text = Self.number(value), let parsed = try? ValueParser.value(text, for: attribute) else {
                throw mismatch(ValueText.plain(value) ?? "no number")
            }
            return parsed
        default: throw mismatch(ValueText.plain(value).map { "“\($0)”" } ?? "another value")
        }
    }

    /// A number in the notation that attributes take.
    private static func number(_ value: PropertyValue) -> String? {
        if case .bool(let value) = value { return value ? "1" : "0" }
        if case .double(let number) = value, let whole = Int64(exactly: number) { return String(whole) }
        return ValueText.plain(value)
    }
}
