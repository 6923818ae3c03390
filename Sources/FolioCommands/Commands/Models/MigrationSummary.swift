import Folio

/// A summary of the additions, changes and losses of a migration, in a few lines for people.
struct MigrationSummary {
    private let migration: DocumentMigration
    private let isDryRun: Bool

    /// The maximum number of names in a line; for the others only their number is shown.
    private static let mostNames = 12

    init(_ migration: DocumentMigration, isDryRun: Bool) {
        self.migration = migration
        self.isDryRun = isDryRun
    }

    /// At most five lines. Losses come last, with counts; entities and properties with objects or
    /// values precede those without.
    var lines: [String] {
        let losses = migration.losses.filter { $0.count > 0 } + migration.losses.filter { $0.count == 0 }
        let kinds = [
            ("adds", "would add", added), ("changes", "would change", changed),
            ("loses", "would lose", losses.map(\.description)),
        ]
        var lines = kinds.compactMap { now, later, names -> String? in
            names.isEmpty ? nil : "\(isDryRun ? later : now) \(Self.list(names))"
        }
        if lines.isEmpty { lines = ["\(isDryRun ? "would change" : "changes") nothing but the version"] }
        if migration.stages > 1 { lines.append("in \(migration.stages) steps, one version after the other") }
        return lines
    }

    private var added: [String] {
        guard let difference = migration.difference else { return [] }
        return difference.entities.flatMap { entity -> [String] in
            guard let name = entity.destination else { return [] }
            return entity.kind == .add
                ? [name]
                : entity.properties.filter { $0.kind == .add }.compactMap { $0.destination.map { "\(name).\($0)" } }
        }
    }

    private var changed: [String] {
        guard let difference = migration.difference else { return [] }
        return difference.entities.flatMap { entity -> [String] in
            guard let name = entity.destination, entity.kind != .add else { return [] }
            let own = entity.changes.isEmpty ? [] : ["\(name) (\(entity.changes.joined(separator: "; ")))"]
            return own
                + entity.properties.filter { $0.kind != .add && $0.kind != .remove && !$0.changes.isEmpty }.compactMap {
                    property in
                    property.destination.map { "\(name).\($0) (\(property.changes.joined(separator: "; ")))" }
                }
        }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(mostNames).joined(separator: ", ")
            + (names.count > mostNames ? " and \(names.count - mostNames) more" : "")
    }
}
