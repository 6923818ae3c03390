import Folio

/// The output of `import`: the number of objects or, with `--json`, their URIs.
struct ImportReport {
    let outcome: ImportOutcome
    let files: [ImportFile]
    let isSaved: Bool
    let console: Console

    func print() {
        if console.isJSON { printJSON() } else { say() }
    }

    private func say() {
        let total = outcome.total
        var line = "\(isSaved ? "imported" : "would import") \(total.total) object\(total.total == 1 ? "" : "s")"
        if total.total > 0 { line += ": " + total.text }
        if outcome.created > 0 { line += "; made \(outcome.created) more that were missing" }
        console.say(line)
        if files.count > 1 {
            for (file, counts) in zip(files, outcome.counts) {
                console.say(Printable.line("  \(file.bytes.name): \(counts.text)"))
            }
        }
        guard !outcome.missing.isEmpty else { return }
        console.say(
            "note: the export has no bytes for \(outcome.missing.count) value\(outcome.missing.count == 1 ? "" : "s"), whose files were missing:"
        )
        for value in outcome.missing.prefix(10) { console.say(Printable.line("  \(value.value) (\(value.fileName))")) }
        if outcome.missing.count > 10 { console.say("  and \(outcome.missing.count - 10) more") }
    }

    private func printJSON() {
        var objects: [String: JSONValue] = [:], rows: [[JSONValue]] = files.map { _ in [] }
        for made in outcome.made where isSaved {
            let uri = JSONValue.string(made.object.uri)
            if let id = made.id { objects[id] = uri }
            rows[made.file].append(.object(["line": .int(made.line), "object": uri]))
        }
        let total = outcome.total
        console.print(
            .object([
                "count": .int(total.total), "inserted": .int(total.inserted), "updated": .int(total.updated),
                "unchanged": .int(total.unchanged),
                "created": .int(outcome.created), "dryRun": .bool(!isSaved), "objects": .object(objects),
                "missing": .array(
                    outcome.missing.map { .object(["file": .string($0.fileName), "value": .string($0.value)]) }),
                "files": .array(
                    zip(files, zip(outcome.counts, rows)).map { file, result in
                        .object([
                            "path": .string(file.bytes.name), "inserted": .int(result.0.inserted),
                            "updated": .int(result.0.updated), "unchanged": .int(result.0.unchanged),
                            "rows": .array(result.1),
                        ])
                    }),
            ]))
    }
}
