import Foundation
import ObjectGraph
import Query
import Schema

/// Evaluates the expressions of a mapping for one object and sets its values.
struct MappingEvaluator {
    private let manager: MigrationManager
    private let mapping: EntityMapping
    private let policy: EntityMigrationPolicy
    private let source: ManagedObject?
    private let destination: ManagedObject
    /// The property whose value is being computed.
    private var property: PropertyMapping?

    init(
        _ manager: MigrationManager, _ mapping: EntityMapping, _ policy: EntityMigrationPolicy, source: ManagedObject?,
        destination: ManagedObject
    ) {
        self.manager = manager
        self.mapping = mapping
        self.policy = policy
        self.source = source
        self.destination = destination
    }

    func setAttribute(_ property: PropertyMapping, _ expression: QueryExpression) throws {
        try naming(property) { evaluator in
            guard case .scalar(let value) = try evaluator.value(of: expression) else {
                throw MigrationError(.invalidMapping, "objects are no value of an attribute")
            }
            let keepsFiles =
                destination.entity.property(named: property.name)?.attribute?.allowsExternalBinaryDataStorage ?? false
            // The file belongs to the old store. The new store gets the bytes, or copies them in
            // pieces if it also stores large values in files.
            if case .large(let large) = value, !keepsFiles {
                try destination.setPropertyValue(.data(large.data()), forKey: property.name)
            } else {
                try destination.setPropertyValue(value, forKey: property.name)
            }
        }
    }

    func setRelationship(_ property: PropertyMapping, _ expression: QueryExpression) throws {
        try naming(property) { evaluator in
            let objects = try objects(in: try evaluator.value(of: expression))
            guard let description = destination.entity.property(named: property.name)?.relationship else { return }
            if description.isToMany {
                KeyedValues(destination).setValue(objects, forKey: property.name)
            } else {
                KeyedValues(destination).setValue(objects.first, forKey: property.name)
            }
        }
    }

    private func naming(_ property: PropertyMapping, _ body: (MappingEvaluator) throws -> Void) throws {
        var evaluator = self
        evaluator.property = property
        do {
            try body(evaluator)
        } catch let error as MigrationError where error.code == .invalidMapping {
            throw MigrationError(
                .invalidMapping, "\(mapping.name).\(property.name): \(error.message)", underlying: error)
        } catch let error as QueryError {
            throw MigrationError(.invalidMapping, "\(mapping.name).\(property.name): \(error)", underlying: error)
        } catch let error as GraphError {
            throw MigrationError(.failed, "\(mapping.name).\(property.name): \(error)", underlying: error)
        }
    }

    // MARK: Values

    private var variables: [String: QueryValue] {
        var variables: [String: QueryValue] = ["destination": .object(destination)]
        variables["source"] = source.map { .object($0) } ?? .null
        return variables
    }

    private func value(of expression: QueryExpression) throws -> QueryValue {
        switch expression {
        case .constant(let value): return .scalar(value)
        // A fast path for the most frequent case.
        case .keyPath(.variable("source"), let keys) where keys.count == 1 && !keys[0].hasPrefix("@"):
            return try source?.queryValue(forKey: keys[0]) ?? .null
        case .keyPath(.variable("entityMapping"), ["name"]): return .scalar(.string(mapping.name))
        case .keyPath(.variable("entityMapping"), ["sourceEntityName"]):
            return .scalar(mapping.sourceEntityName.map { .string($0) } ?? .null)
        case .keyPath(.variable("entityMapping"), ["destinationEntityName"]):
            return .scalar(mapping.destinationEntityName.map { .string($0) } ?? .null)
        case .keyPath(.variable("propertyMapping"), ["name"]):
            return .scalar(property.map { .string($0.name) } ?? .null)
        case .keyPath(let base, let keys) where keys.contains(where: { Self.unions[$0] != nil }):
            return try union(base, keys)
        case .call(let target, let selector, let arguments): return try call(target, selector, arguments)
        case .conditional(let condition, let then, let otherwise):
            let holds = try CompiledPredicate(condition, variables: variables).matches(.null)
            return try value(of: holds ? then : otherwise)
        default:
            return try CompiledExpression(expression, variables: variables).value(
                for: source.map { .object($0) } ?? .null)
        }
    }

    /// The operators that flatten the values of a path, and whether they remove duplicates.
    private static let unions = [
        "@unionOfObjects": false, "@unionOfSets": false, "@unionOfArrays": false, "@distinctUnionOfObjects": true,
        "@distinctUnionOfSets": true,
        "@distinctUnionOfArrays": true,
    ]

    /// A path through to-many relationships is always flat, so the operator only decides about
    /// duplicates.
    private func union(_ base: QueryExpression?, _ keys: [String]) throws -> QueryValue {
        let isDistinct = keys.contains { Self.unions[$0] == true }
        let all = try value(of: .keyPath(base: base, components: keys.filter { Self.unions[$0] == nil }))
        guard isDistinct, case .collection(let elements, let isOrdered) = all else { return all }
        var seen: Set<PropertyValue> = []
        let distinct = elements.filter { element in
            switch element {
            case .scalar(let value): seen.insert(value).inserted
            case .object(let object): seen.insert(.object(object.queryID)).inserted
            case .collection: true
            }
        }
        return .collection(distinct, isOrdered: isOrdered)
    }

    private func call(_ target: QueryExpression, _ selector: String, _ arguments: [QueryExpression]) throws
        -> QueryValue
    {
        switch target {
        case .variable("manager"): return try callManager(selector, try arguments.map { try value(of: $0) })
        case .variable("entityPolicy"):
            let result = try policy.value(forFunction: selector, arguments: try arguments.map(argument))
            return try queryValue(result)
        default:
            return try CompiledExpression(
                .call(target: target, selector: selector, arguments: arguments), variables: variables
            ).value(for: .null)
        }
    }

    /// An argument of a policy's function, which may be one of what takes part in the migration.
    private func argument(_ expression: QueryExpression) throws -> Any? {
        switch expression {
        case .variable("manager"): manager
        case .variable("entityMapping"): mapping
        case .variable("propertyMapping"): property
        case .variable("entityPolicy"): policy
        default: try plain(try value(of: expression))
        }
    }

    private func callManager(_ selector: String, _ arguments: [QueryValue]) throws -> QueryValue {
        guard arguments.count == 2, case .scalar(.string(let name)) = arguments[0] else {
            throw MigrationError(.invalidMapping, "“\(selector)” of the manager takes a name and objects")
        }
        let given = try objects(in: arguments[1])
        let found: [ManagedObject]
        switch selector {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            found = try manager.destinationInstances(forEntityMappingName: name, sourceInstances: given)
        case "sourceInstancesForEntityMappingNamed:destinationInstances:":
            found = try manager.sourceInstances(forEntityMappingName: name, destinationInstances: given)
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            let wanted = property.flatMap { destination.entity.property(named: $0.name) }.flatMap {
                $0.relationship == nil ? nil : $0.destinationIndex
            }
            found = try manager.destinationInstances(
                forSourceRelationshipNamed: name, sourceInstances: given,
                accepting: wanted.map { manager.destinationContext.model.entities[$0] })
        default: throw MigrationError(.invalidMapping, "the manager has no function “\(selector)”")
        }
        return .collection(found.map { .object($0) }, isOrdered: true)
    }

    // MARK: Objects

    private func objects(in value: QueryValue) throws -> [ManagedObject] {
        switch value {
        case .scalar(.null): return []
        case .object(let object as ManagedObject): return [object]
        case .collection(let elements, _): return try elements.flatMap { try objects(in: $0) }
        default: throw MigrationError(.invalidMapping, "a value stands where objects are needed")
        }
    }

    private func plain(_ value: QueryValue) throws -> Any? {
        switch value {
        case .scalar(.null): return nil
        case .object(let object as ManagedObject): return object
        case .collection: return try objects(in: value)
        case .scalar(let scalar): return scalar.plain
        case .object: return nil
        }
    }

    private func queryValue(_ value: Any?) throws -> QueryValue {
        switch value {
        case nil: return .null
        case let object as ManagedObject: return .object(object)
        case let objects as [ManagedObject]: return .collection(objects.map { .object($0) }, isOrdered: true)
        case let objects as Set<ManagedObject>: return .collection(objects.map { .object($0) }, isOrdered: false)
        case let value as any PredicateArgument: return .scalar(value.predicateConstant)
        default:
            guard let value = PropertyValue(value) else {
                throw MigrationError(
                    .policy, "a policy's function gave a \(type(of: value)), which no property can have")
            }
            return .scalar(value)
        }
    }
}
