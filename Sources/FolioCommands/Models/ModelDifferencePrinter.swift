import Folio

/// The output of `folio model diff`.
enum ModelDifferencePrinter {
    static func json(_ difference: ModelDifference) -> JSONValue {
        .object([
            "inferable": .bool(difference.isInferable),
            "reasons": .array(difference.obstacles.map { .string($0.description) }),
            "obstacles": .array(difference.obstacles.map(json)),
            "conditions": .array(difference.conditions.map(json)),
            "entities": .array(difference.entities.map(json)),
        ])
    }

    private static func json(_ obstacle: MigrationObstacle) -> JSONValue {
        .object([
            "rule": .string(obstacle.rule.rawValue), "entity": .string(obstacle.entity),
            "property": obstacle.property.map { .string($0) } ?? .null,
            "reason": .string(obstacle.reason), "remedy": .string(obstacle.remedy),
        ])
    }

    private static func json(_ condition: MigrationCondition) -> JSONValue {
        .object([
            "rule": condition.rule.map { .string($0.rawValue) } ?? .null, "entity": .string(condition.entity),
            "property": condition.property.map { .string($0) } ?? .null, "text": .string(condition.text),
        ])
    }

    private static func json(_ entity: ModelDifference.EntityDifference) -> JSONValue {
        .object([
            "source": name(entity.source), "destination": name(entity.destination),
            "kind": .string(entity.kind.rawValue),
            "changes": .strings(entity.changes),
            "properties": .array(
                entity.properties.map { property in
                    .object([
                        "source": name(property.source), "destination": name(property.destination),
                        "kind": .string(property.kind.rawValue),
                        "changes": .strings(property.changes),
                    ])
                }),
        ])
    }

    private static func name(_ name: String?) -> JSONValue { name.map { .string($0) } ?? .null }

    // MARK: Text

    static func write(_ difference: ModelDifference, to console: Console) {
        let changed = difference.entities.filter(\.isChanged)
        for entity in changed {
            console.print(Printable.line(line(entity.kind, entity.source, entity.destination)))
            for change in entity.changes { console.print("    " + Printable.line(change)) }
            for property in entity.properties {
                let details = property.changes.isEmpty ? "" : "  " + property.changes.joined(separator: ", ")
                console.print(
                    "  " + Printable.line(line(property.kind, property.source, property.destination) + details))
            }
        }
        if difference.isCompatible {
            console.print(changed.isEmpty ? "no differences" : "stores need no migration")
        } else if difference.isInferable {
            let conditions = difference.conditions
            console.print("the migration can be inferred\(conditions.isEmpty ? "" : ", if the rows allow:")")
            for condition in conditions { console.print("  " + Printable.line(condition.description)) }
        } else {
            console.print("the migration can't be inferred:")
            for obstacle in difference.obstacles {
                console.print("  " + Printable.line("\(obstacle.place) \(obstacle.reason)"))
                console.print("    " + Printable.line("→ \(obstacle.remedy)"))
            }
        }
    }

    private static func line(_ kind: ModelDifference.Kind, _ source: String?, _ destination: String?) -> String {
        let mark =
            switch kind {
            case .add: "+"
            case .remove: "-"
            case .transform, .copy: "~"
            }
        guard let source, let destination, source != destination else {
            return "\(mark) \(destination ?? source ?? "")"
        }
        return "\(mark) \(source) → \(destination)"
    }
}
