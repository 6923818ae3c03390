import Folio
import Foundation

/// `folio repair DOC -o NEW`
enum RepairCommand: Command {
    static let specification = CommandSpecification(
        "repair", "saves what can be read of a damaged document into a new one; exit code 1 where something is lost",
        operands: "DOC -o NEW [--force]",
        count: 1...1,
        options: [
            OptionSpecification(
                ["--output", "-o"], value: "NEW", "where the new document is written, in the form of the old one"),
            .force, .model, .dryRun,
        ],
        notes: """
            The damaged document stays as it is. Archives are searched for what is left of them, tables are read around broken pages and rows around broken
            cells; references that lead to nothing are taken away, and the manifest is made anew. What could not be read is listed, part by part.
            The new document has a UUID of its own; earlier versions stay with the old one.
            """,
        examples: ["folio repair Doc.folioz -o Saved.folioz"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let text = arguments.value("--output") else {
            throw InterchangeError.usage("say where the new document is to be", hint: "name it with -o NEW")
        }
        let source = URL(fileURLWithPath: try DocumentArgument.path(arguments.operands[0]))
        let target = try DocumentArgument.path(text)
        let isDryRun = arguments.has(OptionSpecification.dryRun), replacing = arguments.has("--force")
        try DocumentFormArgument.refuseExisting(target, of: arguments.operands[0], arguments)
        let model = try FittingModel.choice(arguments.value("--model"))
        console.reportOutsideCommits(at: source.path)
        let report: RepairReport
        do {
            // Until the new document is moved to its path, only a temporary folder is written.
            report = try DocumentRepairer.repair(
                source, to: URL(fileURLWithPath: target), replacing: replacing, isDryRun: isDryRun, fitting: model
            ) { placing in
                try console.interruption.committingStep(placing)
            }
        } catch {
            throw Self.naming(source.path, InterchangeError(mapping: error))
        }
        console.hasWritten = !isDryRun
        tell(report, target, isDryRun: isDryRun, console)
        return report.lost.isEmpty ? .done : .no
    }

    /// Replaces the path of a temporary folder in an error with that of the document, because users
    /// don't know the folder.
    private static func naming(_ source: String, _ error: InterchangeError) -> InterchangeError {
        // Errors of the folder itself, such as a full disk, keep its path.
        guard [.malformed, .modelMismatch].contains(error.exit), let path = error.path,
            InterchangeError.isTemporaryCopy(path)
        else { return error }
        var named = error
        named.path = source
        named.message = error.message.replacing(path, with: source)
        return named
    }

    private static func tell(_ report: RepairReport, _ target: String, isDryRun: Bool, _ console: Console) {
        guard !console.isJSON else {
            let lost = report.lost.map { finding in
                JSONValue.object([
                    "part": .string(finding.part), "message": .string(finding.message),
                    "object": finding.object.map { .string($0) } ?? .null,
                ])
            }
            console.print(
                .object([
                    "dryRun": .bool(isDryRun), "entities": .object(report.entities.mapValues { .int($0) }),
                    "isComplete": .bool(report.lost.isEmpty),
                    "lost": .array(lost), "notes": .strings(report.notes), "path": .string(target),
                ]))
            return
        }
        for finding in report.lost { console.print(Printable.line("\(finding)")) }
        for note in report.notes { console.say("note: " + Printable.line(note)) }
        let objects = report.entities.values.reduce(0, +)
        console.say(
            "\(isDryRun ? "would save" : "saved") \(objects) \(objects == 1 ? "object" : "objects") in \(Printable.line(target))"
        )
    }
}
