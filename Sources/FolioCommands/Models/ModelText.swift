import Folio

/// A model as an outline for people.
enum ModelText {
    static func write(_ loaded: LoadedModel, to sink: ByteSink) {
        let model = loaded.model
        func line(_ text: String) { sink.write(Printable.line(text) + "\n") }
        line("model \(loaded.name)" + (loaded.version.map { ", version \($0)" } ?? ""))
        let identifiers = model.definition.versionIdentifiers.filter { !$0.isEmpty }
        if !identifiers.isEmpty { line("identifiers \(identifiers.joined(separator: ", "))") }
        if loaded.versions.count > 1 { line("versions \(loaded.versions.joined(separator: ", "))") }
        for entity in model.entities {
            sink.write("\n")
            line(
                "entity \(entity.name)" + (entity.superentity.map { " : \($0.name)" } ?? "")
                    + (entity.isAbstract ? " (abstract)" : ""))
            for attribute in entity.definition.attributes { line("  \(attribute.name): \(describe(attribute))") }
            for relationship in entity.definition.relationships {
                line("  \(relationship.name) → \(describe(relationship))")
            }
            for property in entity.definition.fetchedProperties {
                line(
                    "  \(property.name) = fetch \(property.fetchRequest.entityName) where \(property.fetchRequest.predicateFormat ?? "TRUEPREDICATE")"
                )
            }
            for constraint in entity.definition.uniquenessConstraints {
                line("  unique (\(constraint.joined(separator: ", ")))")
            }
            for index in entity.definition.indexes {
                let elements = index.elements.map {
                    ($0.propertyName ?? $0.expression ?? "?") + ($0.isAscending ? "" : " descending")
                }
                line("  index \(index.name) (\(elements.joined(separator: ", ")))")
            }
        }
        for composite in model.definition.composites {
            sink.write("\n")
            line("composite \(composite.name)")
            for attribute in composite.attributes { line("  \(attribute.name): \(describe(attribute))") }
        }
        for (name, members) in model.definition.configurations.sorted(by: { $0.key < $1.key }) {
            sink.write("\n")
            line("configuration \(name): \(members.joined(separator: ", "))")
        }
        for request in model.definition.fetchRequestTemplates {
            sink.write("\n")
            line(
                "fetch request \(request.name): \(request.entityName) where \(request.predicateFormat ?? "TRUEPREDICATE")"
            )
        }
    }

    private static func describe(_ attribute: AttributeDescription) -> String {
        var words = [attribute.type == .composite ? attribute.compositeName ?? "Composite" : attribute.type.name]
        if !attribute.isOptional { words.append("required") }
        if attribute.isTransient { words.append("transient") }
        if attribute.allowsExternalBinaryDataStorage { words.append("external") }
        if let expression = attribute.derivationExpression { words.append("derived from \(expression)") }
        if let value = attribute.defaultValue { words.append("default \(text(ofDefault: value))") }
        let unit = attribute.type == .string ? "length " : ""
        if let value = attribute.minimumValue { words.append("\(unit)from \(ValueText.plain(value) ?? "")") }
        if let value = attribute.maximumValue { words.append("\(unit)to \(ValueText.plain(value) ?? "")") }
        if let pattern = attribute.regularExpression { words.append("matching \(pattern)") }
        if let former = attribute.renamingIdentifier, former != attribute.name { words.append("formerly \(former)") }
        return words.joined(separator: ", ")
    }

    /// A default value, with an empty text in quotes.
    private static func text(ofDefault value: PropertyValue) -> String {
        if case .string = value { return ValueText.cell(value) }
        return ValueText.plain(value) ?? "nil"
    }

    private static func describe(_ relationship: RelationshipDescription) -> String {
        var words = [
            relationship.destinationEntityName
                + (relationship.isToMany ? (relationship.isOrdered ? " (ordered, many)" : " (many)") : "")
        ]
        if let inverse = relationship.inverseName { words.append("inverse \(inverse)") }
        if !relationship.isOptional { words.append("required") }
        if relationship.isTransient { words.append("transient") }
        if relationship.isToMany, relationship.minCount > 0 { words.append("at least \(relationship.minCount)") }
        if relationship.isToMany, relationship.maxCount > 0 { words.append("at most \(relationship.maxCount)") }
        words.append("on delete \(relationship.deleteRule.word)")
        if let former = relationship.renamingIdentifier, former != relationship.name {
            words.append("formerly \(former)")
        }
        return words.joined(separator: ", ")
    }
}
