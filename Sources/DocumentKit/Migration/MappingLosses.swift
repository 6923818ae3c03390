internal import Migration
internal import Query
internal import Schema
internal import Storage

/// Finds what of a store a mapping model leaves out, where it is carried out object by object.
///
/// A property counts as kept where an expression of a mapping reads it from `$source`, or where the
/// whole of `$source` goes to a policy.
struct MappingLosses: LossFinder {
    let store: any StoreBackend
    private let mapping: MappingModel

    init(of store: any StoreBackend, by mapping: MappingModel) {
        self.store = store
        self.mapping = mapping
    }

    /// Entities first, with the objects that no mapping takes, then properties of entities that
    /// stay. Costs a count for each.
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

    /// Entities with objects that no mapping so much as names.
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

    /// By the text of the expression: `$source` is followed by the key of a path, or stands for the
    /// object itself.
    private static func reads(_ key: String, _ expression: QueryExpression) -> Bool {
        expression.expressionFormat.split(separator: "$source", omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            guard rest.first == "." else { return true }
            return rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" } == key
        }
    }
}
