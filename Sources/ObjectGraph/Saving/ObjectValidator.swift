import RowMemory
import Schema

/// Validates one object: its values against the rules of the model and of the application, and its
/// deletion.
struct ObjectValidator {
    let object: ManagedObject

    init(_ object: ManagedObject) { self.object = object }

    /// Validates all properties against the rules of the model, then those of the application for
    /// the keys that it lists.
    func validateProperties() throws {
        let shape = object.shape
        let customKeys = type(of: object).customValidatedKeys
        if shape.rules.isEmpty && customKeys.isEmpty { return }
        guard object.fireFault(), !object.state.contains(.inaccessible) else { return }
        let row = object.row
        var failures: [ValidationError.Failure] = []
        for rule in shape.rules where !rule.isMetByAnyValue(in: row) {
            if let failure = failure(of: rule, in: row) { failures.append(failure) }
        }
        var ownError: (any Error)?
        for key in customKeys {
            let value = KeyedValues(object).value(forKey: key)
            do { try object.validateValue(value, forKey: key) } catch {
                if let read = ValidationError(reading: error) {
                    // The model's rules were checked above. The override checks them again through
                    // super, so drop duplicates.
                    failures.append(
                        contentsOf: read.failures.map { completed($0, key, value) }.filter { new in
                            !failures.contains { $0.code == new.code && $0.key == new.key }
                        })
                    continue
                }
                ownError = error
                failures.append(completed(ValidationError.Failure(.generic, "\(error)", underlying: error), key, value))
            }
        }
        if failures.count == 1, let ownError {
            object.context.nextSave.ownFailure = failures[0]
            throw ownError
        }
        if !failures.isEmpty { throw ValidationError(failures) }
    }

    private func completed(_ failure: ValidationError.Failure, _ key: String, _ value: Any?) -> ValidationError.Failure
    {
        var failure = failure
        failure.object = failure.object ?? object.objectID
        failure.entity = failure.entity ?? object.entity.name
        failure.key = failure.key ?? key
        if failure.key == key, failure.value == nil { failure.value = PropertyValue(value) }
        return failure
    }

    private func failure(of rule: ValidationRule, in row: Row) -> ValidationError.Failure? {
        let problem: (code: ValidationError.Code, why: String)?
        if case .objects(let fewest, let most, let isOptional) = rule.demand {
            problem = countProblem(rule, fewest: fewest, most: most, isOptional: isOptional)
        } else {
            problem = rule.violation(in: row)
        }
        guard let problem else { return nil }
        let name = object.entity.name
        return ValidationError.Failure(
            problem.code, "\(name).\(rule.key) \(problem.why)", object: object.objectID, entity: name, key: rule.key,
            value: rule.value(in: row))
    }

    private func countProblem(_ rule: ValidationRule, fewest: Int, most: Int, isOptional: Bool) -> (
        ValidationError.Code, String
    )? {
        let relation = object.registry.relation(object, rule.property.index)
        // Members that were neither read nor changed were valid when they were saved.
        if !object.state.contains(.inserted),
            object.existingList(relation).map({ !$0.isLoaded && $0.changes.isEmpty }) ?? true
        {
            return nil
        }
        return Self.problem(
            object.context.members.loadedList(object, relation).members.count { !$0.isDeleted }, fewest: fewest,
            most: most, isOptional: isOptional)
    }

    private static func problem(_ count: Int, fewest: Int, most: Int, isOptional: Bool) -> (
        ValidationError.Code, String
    )? {
        if count == 0 && isOptional { return nil }
        if count < fewest { return (.tooFewObjects, "has \(count) objects and needs \(fewest)") }
        if count > most { return (.tooManyObjects, "has \(count) objects and can have \(most)") }
        return nil
    }

    /// The problem of a collection of objects as the value of a to-many relationship.
    private func countProblem(_ property: PropertyDescription, of value: Any?) -> (ValidationError.Code, String)? {
        let rule = object.shape.rules.first { $0.property.index == property.index }
        guard case .objects(let fewest, let most, let isOptional)? = rule?.demand else { return nil }
        let count = (value as? any Collection)?.count ?? 0
        return Self.problem(count, fewest: fewest, most: most, isOptional: isOptional)
    }

    private func targetProblem(_ property: PropertyDescription, _ value: Any?) -> (ValidationError.Code, String)? {
        property.isOptional || value != nil ? nil : (.missingMandatoryProperty, "is required")
    }

    /// The properties of other objects whose rules are violated only because of this object's
    /// deletion and the deletions that cascade from it.
    func keysBrokenByDeletion() -> Set<BrokenKey> {
        var broken: Set<BrokenKey> = []
        var seen: Set<ManagedObject> = [object]
        var pending = [object]
        while let next = pending.popLast() {
            for case let relation? in next.shape.relations {
                for target in object.context.members.targets(next, relation) {
                    if !target.isDeleted {
                        if let key = relation.description.inverseName {
                            broken.insert(BrokenKey(object: target.objectID, key: key))
                        }
                    } else if relation.description.deleteRule == .cascade, seen.insert(target).inserted {
                        pending.append(target)
                    }
                }
            }
        }
        return broken
    }

    /// A property of an object that lost required objects.
    struct BrokenKey: Hashable {
        let object: ManagedObjectID
        let key: String
    }

    /// Checks whether a delete rule denies the deletion, because a related object is not deleted.
    func validateDeletion() throws {
        guard !object.state.contains(.inaccessible) else { return }
        var failures: [ValidationError.Failure] = []
        let shape = object.shape
        for case let relation? in shape.relations where relation.description.deleteRule == .deny {
            let count = object.context.members.targets(object, relation).count { !$0.isDeleted }
            if count > 0 {
                failures.append(
                    ValidationError.Failure(
                        .deleteDenied,
                        "\(shape.entity.name) can't be deleted while \(relation.property.name) has \(count == 1 ? "an object" : "\(count) objects")",
                        object: object.objectID, entity: shape.entity.name, key: relation.property.name))
            }
        }
        if !failures.isEmpty { throw ValidationError(failures) }
    }

    /// Validates a value against the model's rules for an attribute or a to-one relationship.
    func validateAgainstModel(_ value: Any?, forKey key: String) throws {
        let shape = object.shape
        guard let property = shape.entity.property(named: key) else {
            throw GraphError.unknownKey(key, of: shape.entity)
        }
        guard property.attribute != nil else {
            if let problem = property.isToMany ? countProblem(property, of: value) : targetProblem(property, value) {
                throw ValidationError([
                    .init(
                        problem.0, "\(shape.entity.name).\(key) \(problem.1)", object: object.objectID,
                        entity: shape.entity.name, key: key)
                ])
            }
            return
        }
        guard let plain = PropertyValue(value) else {
            throw GraphError.wrongType(PropertyValue.swiftTypeName(value), for: property, of: shape.entity)
        }
        let converted = try shape.converted(plain, for: property)
        let slab = RowSlab(layout: shape.layout, capacity: 1)
        let row = slab.appendRow(key: object.key, version: 0)
        _ = row.setValue(converted, shape.layout.slots[property.index])
        let failures = shape.rules.filter { $0.property.index == property.index }.compactMap {
            failure(of: $0, in: row)
        }
        if !failures.isEmpty { throw ValidationError(failures) }
    }
}

extension ManagedObject {
    final var validator: ObjectValidator { ObjectValidator(self) }
}
