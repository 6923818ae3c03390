import Query
import Schema
import Storage

/// The inference as a mapping model, with the names and expressions that Core Data uses.
extension MappingInference {
    var mappingModel: MappingModel {
        let sourceHashes = source.versionHashesByEntityName, destinationHashes = destination.versionHashesByEntityName
        var mappings = destination.entities.map { entity -> EntityMapping in
            guard let step = steps[entity.index] else {
                return EntityMapping(
                    "IEM_Add_\(entity.name)", .add, from: nil, to: entity.name,
                    destinationEntityVersionHash: destinationHashes[entity.name],
                    attributeMappings: entity.properties.filter { $0.attribute != nil && !$0.isTransient }.map {
                        mapping(of: $0, from: nil)
                    },
                    relationshipMappings: entity.properties.filter { $0.relationship != nil && !$0.isTransient }.map {
                        mapping(of: $0, from: nil)
                    })
            }
            let origin = source.entities[step.sourceIndex]
            let isCopy = sourceHashes[origin.name] == destinationHashes[entity.name]
            let origins = entity.properties.map { property -> PropertyDescription? in
                if case .property(let index) = step.origins[property.index] { origin.properties[index] } else { nil }
            }
            func mappings(_ isWanted: (PropertyDescription) -> Bool) -> [PropertyMapping] {
                entity.properties.filter { isWanted($0) && !$0.isTransient }.map {
                    mapping(of: $0, from: origins[$0.index])
                }
            }
            var made = EntityMapping(
                isCopy ? "IEM_Copy_\(entity.name)" : "IEM_Transform_\(entity.name)", isCopy ? .copy : .transform,
                from: origin.name, to: entity.name,
                sourceEntityVersionHash: sourceHashes[origin.name],
                destinationEntityVersionHash: destinationHashes[entity.name],
                attributeMappings: mappings { $0.attribute != nil },
                relationshipMappings: mappings { $0.relationship != nil })
            if !isCopy {
                // The names are those of the new version; of what went, those of the old one.
                let kept = Set(origins.compactMap { $0?.name })
                for property in entity.properties where !property.isTransient {
                    if origins[property.index] == nil {
                        made.addedProperties.insert(property.name)
                    } else {
                        made.mappedProperties.insert(property.name)
                    }
                }
                made.removedProperties = Set(
                    origin.properties.filter { !$0.isTransient && !kept.contains($0.name) }.map(\.name))
            }
            return made
        }
        for entity in source.entities where plan.destinationIndices[entity.index] == nil {
            mappings.append(
                EntityMapping(
                    "IEM_Remove_\(entity.name)", .remove, from: entity.name, to: nil,
                    sourceEntityVersionHash: sourceHashes[entity.name]))
        }
        return MappingModel(entityMappings: mappings)
    }

    private func mapping(of property: PropertyDescription, from origin: PropertyDescription?) -> PropertyMapping {
        guard let origin else { return PropertyMapping(property.name) }
        let value = QueryExpression.keyPath(base: .variable("source"), components: [origin.name])
        if property.relationship != nil {
            return PropertyMapping(
                property.name,
                valueExpression: MappingModel.instances(ofRelationship: origin.name, value))
        }
        if origin.isOptional, !property.isOptional, let value = property.attribute?.defaultValue {
            let source = QueryExpression.keyPath(base: .variable("source"), components: [origin.name])
            return PropertyMapping(
                property.name,
                valueExpression: .conditional(
                    .comparison(ComparisonPredicate(source, .notEqual, .constant(.null))), source, .constant(value)))
        }
        return PropertyMapping(property.name, valueExpression: value)
    }
}
