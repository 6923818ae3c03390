internal import Migration
internal import Query
internal import Schema
internal import Storage

/// Finds the data of a store that a mapping model drops when it is executed object by object.
///
/// A property counts as kept if an expression of a mapping reads it from `$source`, or if a policy
/// receives the whole `$source`.
struct MappingLosses: LossFinder {
    let store: any StoreBackend
    private let mapping: MappingModel

    init(of store: any StoreBackend, by mapping: MappingModel) {
        self.store = store
        self.mapping = mapping
    }

    /// The losses: first entities, with the number of objects that no mapping takes, then
    /// properties of the other entities. Costs one count query for each.
    func found() throws -> [DocumentMigration.Loss] {
        var objects: [DocumentMigration.Loss] = [], values: [DocumentMigration.Loss] = []
        for entity in model.entities where !entity.isAbstract {
            let mappings = mappings(of: entity)
            guard !mappings.isEmpty else {
                objects.append(DocumentMigration.Loss(entity: entity.name, property: nil, count: try count(entity)))
                continue
            }
            let filters = mappings.compactMap(\.sourcePredicate)
            if filters.count == mappings.count {
                let count = try count(entity, .not(.or(filters)))
                if count > 0 {
                    objects.append(DocumentMigration.Loss(entity: entity.name, property: nil, count: count))
                }
            }
            for property in lostProperties(of: entity) {
                values.append(
                    DocumentMigration.Loss(
                        entity: entity.name, property: property.name, count: try count(entity, property.hasValue)))
            }
        }
        return objects + values
    }

    /// The losses of entities with objects that no mapping names.
    func unnamed(among losses: [DocumentMigration.Loss]) -> [DocumentMigration.Loss] {
        losses.filter { loss in
            loss.property == nil && loss.count > 0 && mapping.entityMapping(fromEntity: loss.entity) == nil
        }
    }

    private func mappings(of entity: EntityDescription) -> [EntityMapping] {
        mapping.entityMappings.filter {
            $0.sourceEntityName == entity.name && $0.destinationEntityName != nil && $0.kind != .add
                && $0.kind != .remove
        }
    }

    func isTaken(_ entity: EntityDescription) -> Bool { !mappings(of: entity).isEmpty }

    func isTaken(_ property: PropertyDescription, of entity: EntityDescription) -> Bool {
        mappings(of: entity).contains { mapping in
            mapping.migrationPolicyName != nil
                || (mapping.attributeMappings + mapping.relationshipMappings).contains {
                    $0.valueExpression.map { Self.reads(property.name, $0) } ?? false
                }
        }
    }

    /// Whether an expression reads a key. Decided by its text: `$source` is followed by the key of
    /// a path, or is the object itself.
    static func reads(_ key: String, _ expression: QueryExpression) -> Bool {
        expression.expressionFormat.split(separator: "$source", omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            guard rest.first == "." else { return true }
            return rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" } == key
        }
    }
}
