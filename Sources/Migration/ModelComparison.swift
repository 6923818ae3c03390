import Foundation
import Schema
import Storage

/// Describes the differences between paired entities and properties.
struct ModelComparison {
    private let plan: MigrationPlan
    private let sourceHashes: [String: Data]
    private let destinationHashes: [String: Data]

    init(_ plan: MigrationPlan) {
        self.plan = plan
        sourceHashes = plan.source.versionHashesByEntityName
        destinationHashes = plan.destination.versionHashesByEntityName
    }

    var entities: [ModelDifference.EntityDifference] {
        plan.destination.entities.map(difference)
            + plan.source.entities.filter { plan.destinationIndices[$0.index] == nil }.map {
                ModelDifference.EntityDifference(
                    source: $0.name, destination: nil, kind: .remove, changes: [], properties: [])
            }
    }

    private func difference(_ entity: EntityDescription) -> ModelDifference.EntityDifference {
        guard let step = plan.steps[entity.index] else {
            return ModelDifference.EntityDifference(
                source: nil, destination: entity.name, kind: .add, changes: [], properties: [])
        }
        let origin = plan.source.entities[step.sourceIndex]
        let isCopy = sourceHashes[origin.name] == destinationHashes[entity.name]
        return ModelDifference.EntityDifference(
            source: origin.name, destination: entity.name, kind: isCopy ? .copy : .transform,
            changes: changes(origin, entity),
            properties: properties(origin, entity, step))
    }

    private func properties(_ origin: EntityDescription, _ entity: EntityDescription, _ step: MigrationPlan.EntityStep)
        -> [ModelDifference
        .PropertyDifference]
    {
        var result: [ModelDifference.PropertyDifference] = []
        var used: Set<Int> = []
        for property in entity.properties {
            let isOwn = property.declaringEntityIndex == entity.index
            var former: PropertyDescription?
            if case .property(let index) = step.origins[property.index] {
                used.insert(index)
                former = origin.properties[index]
            } else if property.isTransient {
                // Transient properties are not in the plan, so they are paired by name.
                former = origin.property(named: property.name).flatMap { $0.isTransient ? $0 : nil }
                if let former { used.insert(former.index) }
            }
            guard isOwn else { continue }
            guard let former else {
                result.append(
                    ModelDifference.PropertyDifference(
                        source: nil, destination: property.name, kind: .add, changes: [Self.summary(property)]))
                continue
            }
            let changes = changes(former, property)
            let isCopy = former.versionHash == property.versionHash
            guard !changes.isEmpty || !isCopy else { continue }
            result.append(
                ModelDifference.PropertyDifference(
                    source: former.name, destination: property.name, kind: isCopy ? .copy : .transform, changes: changes
                ))
        }
        for property in origin.properties
        where !used.contains(property.index) && property.declaringEntityIndex == origin.index {
            result.append(
                ModelDifference.PropertyDifference(
                    source: property.name, destination: nil, kind: .remove, changes: [Self.summary(property)]))
        }
        return result
    }

    // MARK: Words

    private func changes(_ old: EntityDescription, _ new: EntityDescription) -> [String] {
        var words: [String] = []
        func note<Value: Equatable>(_ what: String, _ before: Value, _ after: Value, _ text: (Value) -> String) {
            if before != after { words.append("\(what): \(text(before)) → \(text(after))") }
        }
        note("name", old.name, new.name) { $0 }
        let parent = old.superentity.map {
            plan.destinationIndices[$0.index].map { plan.destination.entities[$0].name } ?? "(removed) \($0.name)"
        }
        note("parent", parent, new.superentity?.name) { $0 ?? "none" }
        note("abstract", old.isAbstract, new.isAbstract, Self.text)
        note("class", old.managedObjectClassName, new.managedObjectClassName) { $0 ?? "none" }
        note("uniqueness constraints", old.definition.uniquenessConstraints, new.definition.uniquenessConstraints) {
            $0.isEmpty ? "none" : $0.map { "(" + $0.joined(separator: ", ") + ")" }.joined(separator: " ")
        }
        let indexes = (Set(old.definition.indexes.map(\.name)), Set(new.definition.indexes.map(\.name)))
        words += indexes.1.subtracting(indexes.0).sorted().map { "new index \($0)" }
        words += indexes.0.subtracting(indexes.1).sorted().map { "index \($0) is gone" }
        note("hash modifier", old.definition.versionHashModifier, new.definition.versionHashModifier) { $0 ?? "none" }
        return words
    }

    private func changes(_ old: PropertyDescription, _ new: PropertyDescription) -> [String] {
        var words: [String] = []
        func note<Value: Equatable>(_ what: String, _ before: Value, _ after: Value, _ text: (Value) -> String) {
            if before != after { words.append("\(what): \(text(before)) → \(text(after))") }
        }
        note("name", old.name, new.name) { $0 }
        note("optional", old.isOptional, new.isOptional, Self.text)
        if let old = old.attribute, let new = new.attribute {
            note("type", old.type, new.type) { $0.name }
            note("default", old.defaultValue, new.defaultValue) { $0.map(Self.text) ?? "none" }
            note("derived from", old.derivationExpression, new.derivationExpression) { $0 ?? "nothing" }
            note(
                "external storage", old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage, Self.text)
            note(
                "kept in history", old.preservesValueInHistoryOnDeletion, new.preservesValueInHistoryOnDeletion,
                Self.text)
            note("transformer", old.valueTransformerName, new.valueTransformerName) { $0 ?? "standard" }
            note("composite", old.compositeName, new.compositeName) { $0 ?? "none" }
            note("minimum", old.minimumValue, new.minimumValue) { $0.map(Self.text) ?? "none" }
            note("maximum", old.maximumValue, new.maximumValue) { $0.map(Self.text) ?? "none" }
            note("pattern", old.regularExpression, new.regularExpression) { $0 ?? "none" }
            note("hash modifier", old.versionHashModifier, new.versionHashModifier) { $0 ?? "none" }
        }
        if let old = old.relationship, let new = new.relationship {
            note("destination", old.destinationEntityName, new.destinationEntityName) { $0 }
            note(
                "inverse", old.inverseName ?? old.unmatchedInverseName, new.inverseName ?? new.unmatchedInverseName
            ) { $0 ?? "none" }
            note("to-many", old.isToMany, new.isToMany, Self.text)
            note("ordered", old.isOrdered, new.isOrdered, Self.text)
            note("delete rule", old.deleteRule, new.deleteRule) { "\($0)" }
            note("minimum count", old.minCount, new.minCount) { "\($0)" }
            if old.isToMany, new.isToMany {
                note("maximum count", max(0, old.maxCount), max(0, new.maxCount)) { $0 == 0 ? "any" : "\($0)" }
            }
            note("hash modifier", old.versionHashModifier, new.versionHashModifier) { $0 ?? "none" }
        }
        return words
    }

    private static func text(_ flag: Bool) -> String { flag ? "yes" : "no" }

    /// A value in the form that people write it.
    private static func text(_ value: PropertyValue) -> String {
        switch value {
        case .null: "nil"
        case .int(let value): "\(value)"
        case .bool(let value): text(value)
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .date(let value): value.ISO8601Format()
        case .string(let value): "“\(value)”"
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .large(let value): (try? value.count).map { "\($0) bytes" } ?? "bytes"
        case .composite(let parts):
            "{" + parts.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ") + "}"
        case .object(let id): "\(id)"
        case .list(let values): values.map(text).joined(separator: ", ")
        }
    }

    private static func summary(_ property: PropertyDescription) -> String {
        let words: [String] =
            switch property.kind {
            case .attribute(let attribute): [attribute.type.name]
            case .relationship(let relationship):
                [
                    relationship.isOrdered ? "ordered" : "", relationship.isToMany ? "to-many" : "to-one",
                    relationship.destinationEntityName,
                ]
            }
        return (words + [property.isTransient ? "transient" : "", property.isOptional ? "optional" : "mandatory"])
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
}
