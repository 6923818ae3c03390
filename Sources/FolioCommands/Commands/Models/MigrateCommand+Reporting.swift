import Folio

/// The output of `migrate`: the summary on standard error, steps and results on standard output.
extension MigrateCommand {
    static func report(
        _ migration: DocumentMigration, path: String, isDryRun: Bool, isVerbose: Bool, _ console: Console
    ) {
        if console.isJSON { return console.print(json(migration, path: path, isDryRun: isDryRun)) }
        guard migration.isNeeded else { return console.print("the document is of this version already") }
        tell(migration, prefix: "", isDryRun: isDryRun, isVerbose: isVerbose, console)
        if isDryRun, let estimate = estimate(migration) { console.say("it takes " + estimate) }
        if let kept = migration.backup {
            console.say("the old state is kept in \(Printable.line(backup(kept, of: path)))")
        }
    }

    /// Reports the results for several documents, with the path of the document in every line.
    static func report(_ results: [Outcome], _ paths: [String], isDryRun: Bool, isVerbose: Bool, _ console: Console)
        -> ExitCode
    {
        var exit = ExitCode.done
        var values: [JSONValue] = []
        var hints: Set<String> = []
        for (path, result) in zip(paths, results) {
            switch result {
            case .success(let migration):
                values.append(json(migration, path: path, isDryRun: isDryRun))
                if !console.isJSON {
                    report(migration, ofSeveral: path, isDryRun: isDryRun, isVerbose: isVerbose, console)
                }
            case .failure(let error):
                var failure = InterchangeError(mapping: error)
                failure.hideTemporaryFolders()
                failure.path = failure.path ?? path
                failure.showTyped(TypedPaths([path]))
                failure.what = specification.name
                failure.addHint(after: specification.name)
                if exit == .done { exit = failure.exit }
                guard console.isJSON else {
                    if let hint = failure.hint, !hints.insert(hint).inserted { failure.hint = nil }
                    console.report(failure)
                    continue
                }
                guard case .object(let members) = failure.json else { continue }
                values.append(.object(members.merging(["path": .string(path)]) { $1 }))
            }
        }
        if console.isJSON { console.print(.array(values)) }
        return exit
    }

    private static func report(
        _ migration: DocumentMigration, ofSeveral path: String, isDryRun: Bool, isVerbose: Bool, _ console: Console
    ) {
        let prefix = Printable.line(path) + ": "
        guard migration.isNeeded else { return console.print(prefix + "is of this version already") }
        tell(migration, prefix: prefix, isDryRun: isDryRun, isVerbose: isVerbose, console)
        let kept = migration.backup.map { ", the old state is kept in \(Printable.line(backup($0, of: path)))" } ?? ""
        let count = migration.steps.count == 1 ? "1 step" : "\(migration.steps.count) steps"
        console.print(
            prefix
                + (isDryRun
                    ? [count, estimate(migration)].compactMap { $0 }.joined(separator: ", ")
                    : "migrated in \(count)\(kept)"))
    }

    /// Reports additions, changes and losses; with `--verbose` also every step.
    private static func tell(
        _ migration: DocumentMigration, prefix: String, isDryRun: Bool, isVerbose: Bool, _ console: Console
    ) {
        for line in MigrationSummary(migration, isDryRun: isDryRun).lines { console.say(prefix + Printable.line(line)) }
        if isVerbose { for step in migration.steps { console.print(prefix + Printable.line(step)) } }
        if migration.isInferredBesideMappings {
            console.say(prefix + "note: no mapping model is used: the step to the new version is inferred")
        }
        if isDryRun, migration.losesObjects {
            console.say(prefix + "objects would be lost: without --allow-loss nothing is done")
        }
    }

    /// The path of what is kept of a document, in the folder that was typed.
    private static func backup(_ kept: String, of path: String) -> String {
        let name = kept.split(separator: "/").last ?? ""
        let folder = (path.last == "/" ? path.dropLast() : path[...]).lastIndex(of: "/").map { path[...$0] } ?? ""
        let typed = String(folder + name)
        return ResolvedPath(typed).text == kept ? typed : kept
    }

    // MARK: JSON

    private static func json(_ migration: DocumentMigration, path: String, isDryRun: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "path": .string(path), "from": migration.from.map { .string($0) } ?? .null,
            "needed": .bool(migration.isNeeded),
            "stages": .int(migration.stages), "steps": .strings(migration.steps),
            "backup": migration.backup.map { .string(backup($0, of: path)) } ?? .null,
            "dryRun": .bool(isDryRun), "inPlace": .bool(migration.isInPlace),
            "lost": .array(migration.losses.map(json)), "losesObjects": .bool(migration.losesObjects),
        ]
        if isDryRun {
            members["estimate"] = .object([
                "rows": .int(Int(migration.rows)), "bytes": .int(Int(migration.bytes)),
                "seconds": .int(Int(migration.seconds.rounded(.up))),
            ])
        }
        return .object(members)
    }

    private static func json(_ loss: DocumentMigration.Loss) -> JSONValue {
        .object([
            "entity": .string(loss.entity), "property": loss.property.map { .string($0) } ?? .null,
            "count": .int(loss.count),
        ])
    }

    /// The estimated cost; nil if no rows are migrated.
    private static func estimate(_ migration: DocumentMigration) -> String? {
        migration.rows == 0
            ? nil
            : "some \(migration.rows) rows, about \(max(1, Int(migration.seconds.rounded(.up)))) s, up to \((migration.bytes + (1 << 20) - 1) >> 20) MiB on the disk"
    }
}
