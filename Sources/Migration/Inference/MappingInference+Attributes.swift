import Schema

extension MappingInference {
    mutating func checkNew(
        _ attribute: AttributeDescription, _ property: PropertyDescription, _ entity: EntityDescription
    ) {
        guard attribute.needsDefault else { return }
        guard !entity.isAbstract || entity.family.count > 1 else { return }
        require(
            .mandatoryWithoutDefault, entity, property,
            "is new and mandatory without a default value: there are no objects of \(entity.name)")
    }

    mutating func check(
        _ attribute: AttributeDescription, formerly old: AttributeDescription, _ property: PropertyDescription,
        _ entity: EntityDescription
    ) {
        guard attribute.type.takesValues(of: old.type) else {
            add(
                .attributeType, entity, property, "changes its type from \(old.type.name) to \(attribute.type.name)",
                remedy:
                    "keep the type, give the new attribute another name, or migrate by a mapping model that converts the values"
            )
            return
        }
        if attribute.type.isNarrower(than: old.type) {
            require(.attributeType, entity, property, "becomes \(attribute.type.name): every value fits")
        }
        if attribute.type == .composite { checkComposite(attribute, formerly: old, property, entity) }
        if old.isOptional, attribute.needsDefault {
            require(
                .mandatoryWithoutDefault, entity, property,
                "becomes mandatory without a default value: every object has a value")
        }
    }

    private mutating func checkComposite(
        _ attribute: AttributeDescription, formerly old: AttributeDescription, _ property: PropertyDescription,
        _ entity: EntityDescription
    ) {
        let former = Dictionary(
            source.leaves(of: old).map { ($0.path, $0.attribute.type) }, uniquingKeysWith: { first, _ in first })
        for leaf in destination.leaves(of: attribute) {
            guard let type = former[leaf.path], !leaf.attribute.type.takesValues(of: type) else { continue }
            add(
                .attributeType, entity, property,
                "changes the type of \(leaf.path.joined(separator: ".")) from \(type.name) to \(leaf.attribute.type.name)",
                remedy:
                    "keep the type, give the new attribute another name, or migrate by a mapping model that converts the values"
            )
        }
    }
}

extension AttributeDescription {
    /// Whether an object must have a value and none can be derived from the model.
    fileprivate var needsDefault: Bool {
        !isOptional && !isTransient && !isDerived && defaultValue == nil && type != .composite && type != .undefined
            && type != .objectID
    }
}

extension AttributeType {
    /// Whether there are numbers of another type that this type can't represent.
    fileprivate func isNarrower(than other: AttributeType) -> Bool {
        let wholes: [AttributeType] = [.boolean, .integer16, .integer32, .integer64]
        guard self != other else { return false }
        switch (wholes.firstIndex(of: self), wholes.firstIndex(of: other)) {
        case (let own?, let former?): return own < former
        default: return !(self == .double && other == .float)
        }
    }

    /// Whether inference converts values of another type to this one, which is the case between all
    /// numeric types. The migration fails for a number that the new type can't represent.
    fileprivate func takesValues(of other: AttributeType) -> Bool {
        let numbers: Set<AttributeType> = [.boolean, .integer16, .integer32, .integer64, .decimal, .double, .float]
        return self == other || numbers.contains(self) && numbers.contains(other)
    }
}

extension ManagedObjectModel {
    /// The leaf attributes of a composite attribute, with the names on the path to them.
    func leaves(of attribute: AttributeDescription) -> [(path: [String], attribute: AttributeDescription)] {
        leaves(of: attribute, path: [])
    }

    private func leaves(of attribute: AttributeDescription, path: [String]) -> [(
        path: [String], attribute: AttributeDescription
    )] {
        guard attribute.type == .composite else { return [(path, attribute)] }
        // Validation rejects composites that contain themselves.
        return (attribute.compositeName.flatMap { composite(named: $0) }?.attributes ?? []).flatMap {
            leaves(of: $0, path: path + [$0.name])
        }
    }
}
