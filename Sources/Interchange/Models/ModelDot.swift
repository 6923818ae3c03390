import Folio

/// A model as a graph for Graphviz: a box for each entity, and one arrow for each relationship
/// together with its inverse.
package enum ModelDot {
    package static func write(_ loaded: LoadedModel, to sink: ByteSink) {
        sink.write(
            "digraph \(quote(loaded.name)) {\n  rankdir=LR;\n  node [shape=record, fontname=\"sans-serif\", fontsize=10];\n"
        )
        sink.write("  edge [fontname=\"sans-serif\", fontsize=9];\n")
        for entity in loaded.model.entities {
            let attributes = entity.definition.attributes.map {
                field("\($0.name): \($0.type.name)\($0.isOptional ? "" : " !")") + "\\l"
            }
            let title = field(entity.name + (entity.isAbstract ? " (abstract)" : ""))
            sink.write("  \(quote(entity.name)) [label=\"{\(title)|\(attributes.joined())}\"];\n")
        }
        for entity in loaded.model.entities {
            if let superentity = entity.superentity {
                sink.write("  \(quote(entity.name)) -> \(quote(superentity.name)) [arrowhead=empty];\n")
            }
            for relationship in entity.definition.relationships {
                write(relationship, of: entity, in: loaded.model, to: sink)
            }
        }
        sink.write("}\n")
    }

    private static func write(
        _ relationship: RelationshipDescription, of entity: EntityDescription, in model: ManagedObjectModel,
        to sink: ByteSink
    ) {
        let inverse = relationship.inverseName.flatMap { name in
            model.entity(named: relationship.destinationEntityName)?.relationshipsByName[name]
        }
        // For a pair of inverses only one arrow is drawn, from the side that comes first.
        if inverse != nil {
            let here = (entity.name, relationship.name)
            let there = (relationship.destinationEntityName, relationship.inverseName ?? "")
            let declaresInverse =
                model.entity(named: there.0)?.definition.relationships.contains { $0.name == there.1 } ?? false
            if declaresInverse, there < here { return }
        }
        let label = relationship.name + (inverse.map { " / " + $0.name } ?? "")
        let tail = inverse.map { $0.isToMany ? "crow" : "tee" } ?? "none"
        sink.write(
            "  \(quote(entity.name)) -> \(quote(relationship.destinationEntityName)) [label=\(quote(label)), dir=both, "
                + "arrowhead=\(relationship.isToMany ? "crow" : "tee"), arrowtail=\(tail)];\n")
    }

    private static func quote(_ text: String) -> String {
        "\"" + Printable.line(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Escapes text in a record label, where braces, bars and angle brackets have a meaning.
    private static func field(_ text: String) -> String {
        Printable.line(text).reduce(into: "") { result, character in
            if "\\\"{}|<> ".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
