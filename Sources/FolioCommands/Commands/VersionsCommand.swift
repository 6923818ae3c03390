import Folio
import Foundation

/// `folio versions DOC`, `folio versions prune DOC --keep WHAT`
enum VersionsCommand: Command {
    static let specification = CommandSpecification(
        "versions", "lists the earlier saved states of a document, or removes some", operands: "[prune] DOC [--keep WHAT]", count: 1...2,
        options: [
            OptionSpecification(["--keep"], value: "WHAT", "with prune: which stay"), .model, .dryRun,
        ],
        notes: """
            A version is the state right after the n-th save; DOC@n means it wherever a document is read. BYTES is what keeping it takes.
            A package keeps the state before every save, and thins them out with age. An archive has versions where they were packed with it.

            WHAT of prune --keep is one of
              10           the ten newest
              12h, 30d, 8w those of the last 12 hours, 30 days, 8 weeks
              20MB         as many of the newest as take that much (KB, MB, GB)
              thinned      one an hour of a day, one a day of a month, one a week before
            Pinned ones stay in any case. What was set aside, a journal that was not the document's own or versions that can't be read, goes with every prune; folio verify
            names it.
            """,
        examples: ["folio versions Doc.folio", "folio fetch Doc.folio@3 Book", "folio versions prune Doc.folio --keep 30d --dry-run"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        switch (arguments.operands[0], arguments.operands.count) {
        case ("prune", 2): try await prune(arguments.operands[1], arguments, console)
        case (_, 2): throw CommandError.usage("one argument too many: \(arguments.operands[1])", hint: specification.usage)
        default:
            for option in ["--keep", OptionSpecification.dryRun.names[0]] where arguments.has(option) {
                throw CommandError.usage("\(option) goes with prune", hint: "usage: folio versions prune DOC --keep WHAT")
            }
            // Of a state, those up to it.
            let argument = DocumentArgument(arguments.operands[0])
            try await DocumentReader.reading(argument.path, model: arguments.value("--model"), console) { reader in
                var versions = try reader.document.versions()
                if case .version(let last) = argument.state {
                    guard versions.contains(where: { $0.generation == last }) else { throw CommandError.notFound("there is no version \(last)", path: argument.path) }
                    versions.removeAll { $0.generation > last }
                }
                write(versions, console)
            }
        }
        return .done
    }

    private static func prune(_ text: String, _ arguments: ParsedArguments, _ console: Console) async throws {
        guard let keep = arguments.value("--keep") else {
            throw CommandError.usage("say which versions stay", hint: "usage: folio versions prune DOC --keep WHAT")
        }
        let retention = try self.retention(keep)
        try await DocumentEditor.editing(text, arguments, console) { editor in
            let doomed = retention.superfluous(try editor.document.versions()), setAside = try editor.document.quarantinedFiles()
            if !arguments.has(OptionSpecification.dryRun) {
                try await console.interruption.committing {
                    try editor.document.removeVersions(doomed)
                    try editor.document.removeQuarantinedFiles()
                }
            }
            for file in setAside { console.say("removed what was set aside: \(Printable.line(file.path))") }
            if console.isJSON { return console.print(.array(doomed.map(json))) }
            if doomed.isEmpty { return console.say("nothing to remove") }
            write(doomed, console)
        }
    }

    private static func retention(_ text: String) throws -> VersionRetention {
        if text == "thinned" { return .thinned }
        guard let match = text.wholeMatch(of: /(\d{1,12})(h|d|w|KB|MB|GB)?/), let number = Int(match.1) else {
            throw CommandError.usage("--keep does not take \(text)", hint: "one of 10, 12h, 30d, 8w, 20MB, thinned")
        }
        func since(_ seconds: Double) -> VersionRetention { .since(Date(timeIntervalSinceNow: -Double(number) * seconds)) }
        switch match.2 {
        case "h": return since(3600)
        case "d": return since(86_400)
        case "w": return since(7 * 86_400)
        case "KB": return .bytes(Int64(number) << 10)
        case "MB": return .bytes(Int64(number) << 20)
        case "GB": return .bytes(Int64(min(number, 1 << 30)) << 30)
        default: return .newest(number)
        }
    }

    private static func json(_ version: DocumentVersion) -> JSONValue {
        .object([
            "version": .int(version.generation), "saved": .string(ValueText.date(version.saved)), "reason": .string(version.reason.description),
            "size": .int(version.size), "bytes": .int(version.bytes), "pinned": .bool(version.isPinned), "name": version.name.map { .string($0) } ?? .null,
        ])
    }

    private static func write(_ versions: [DocumentVersion], _ console: Console) {
        if console.isJSON { return console.print(.array(versions.map(json))) }
        var table = Table(headings: ["VERSION", "SAVED", "BEFORE", "SIZE", "BYTES", "NAME"], alignsRight: [true, false, false, true, true])
        for version in versions {
            table.append([
                String(version.generation), ValueText.date(version.saved), version.reason.description, String(version.size), String(version.bytes),
                (version.isPinned ? "* " : "") + (version.name ?? ""),
            ])
        }
        table.write(to: console.output)
    }
}
