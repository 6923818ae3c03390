import Folio
import Foundation

/// `folio merge OURS THEIRS`
enum MergeCommand: Command {
    static let specification = CommandSpecification(
        "merge", "merges another document into a document, object by object; exit code 1 where conflicts are left",
        operands:
            "DOC [DOC] [--base DOC|none] [-o NEW [--force]] [--ours|--theirs] [--decisions FILE] [--stat] [--git]",
        count: 1...4, [.opens, .writes, .replaces],
        options: [
            OptionSpecification(
                ["--output", "-o"], value: "NEW",
                "write the merged document there as one of its own, and leave the first one as it is"),
            OptionSpecification(
                ["--base"], value: "DOC",
                "the state that both came from; none for documents that were never one. Without it, the newest state that both know"
            ),
            OptionSpecification(["--ours"], "decide all conflicts for the first document"),
            OptionSpecification(["--theirs"], "decide all conflicts for the second document"),
            OptionSpecification(
                ["--decisions"], value: "FILE",
                "decide conflicts as the file says; the others are decided as without it"
            ),
            OptionSpecification(["--stat"], "only how many objects were inserted, changed and deleted"),
            OptionSpecification(
                ["--git"], "merge as git asks for it: BASE OURS THEIRS; conflicts are kept in the merged document"),
        ],
        exclusions: [
            ["--ours", "--theirs"], ["--git", "--base"], ["--git", "--output"], ["--git", "--decisions"],
            ["--git", "--dry-run"],
        ],
        notes: """
            The first document becomes the merged one, by one save. What one of the two alone has changed since the base is taken from it; what both have changed in ways that \
            contradict each other is a conflict. Where conflicts are left that nothing decides, nothing is written, they are listed, and the exit code is 1.

            The base is the newest state that both documents know: by the versions of a package, the states before the last saves of an archive, and merges before. \
            Bare stores know none but what they are and have merged: name the base. What was merged before is not merged again, whatever the base. An object is the same in both where it was in the base; new objects are one where a uniqueness constraint says so, or where they are equal.

            With one document, the copies that synchronizing programs left beside it are listed: files of like name with the same UUID.

            FILE of --decisions holds the conflicts as --json prints them, with "choice" set to "ours" or "theirs", or with a "value" for an attribute.

            For git, folio git --setup says what there is to set. The driver keeps conflicts in the document, where folio conflicts lists them and folio resolve decides them; \
            a bare store has no room for them and stays as it is.
            """,
        examples: [
            "folio merge Notes.folio 'Notes (conflicted copy).folio'",
            "folio merge Ours.folioz Theirs.folioz --base Old.folioz -o Merged.folioz",
            "folio merge Notes.folio Other.folio --json > c.json; folio merge Notes.folio Other.folio --decisions c.json",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let operands = arguments.operands
        if arguments.has("--git") { return try await GitMerge.run(arguments, console) }
        guard operands.count <= 2 else {
            throw InterchangeError.usage("one argument too many: \(operands[2])", hint: specification.usage)
        }
        guard operands.count == 2 else { return try listCopies(operands[0], arguments, console) }
        let base = try DocumentMerge.Base.named(arguments.value("--base"))
        let printer = MergePrinter(
            console, showsObjects: !arguments.has("--stat"), path: operands[0],
            operands: operands + arguments.all("--base"))
        guard let target = try arguments.value("--output").map({ try DocumentArgument.path($0) }) else {
            try DocumentFormArgument.refuseForceWithoutOutput(arguments, specification)
            return try await mergeInPlace(arguments, printer, console)
        }
        try DocumentFormArgument.refuseExisting(target, of: operands[0], arguments)
        try DocumentFormArgument.refuseExisting(target, of: operands[1], arguments)
        if case .document = base, let base = arguments.value("--base") {
            try DocumentFormArgument.refuseExisting(target, of: base, arguments)
        }
        return try await DocumentReader.reading(operands[0], model: arguments.value("--model"), console) { reader in
            reader.context.undoManager = nil
            let report = try await merge(into: reader.document, arguments)
            if report.isApplied, arguments.has(OptionSpecification.dryRun) {
                _ = try await DocumentEditor(unsaved: reader.document, console).commit()
            } else if report.isApplied {
                let url = URL(fileURLWithPath: target)
                let form = DocumentForm(extensionOf: target)
                let takesVersions = (form ?? DocumentFormArgument.form(ofDocumentAt: operands[0])) == .package
                try await console.interruption.committing {
                    try await reader.document.write(
                        to: url, form: form, replacing: arguments.has(OptionSpecification.force),
                        includingVersions: takesVersions && reader.document.generation != nil)
                }
                console.hasWritten = true
                DocumentFormArgument.noteMissingModel(form, console)
            }
            return printer.tell(report, isDryRun: arguments.has(OptionSpecification.dryRun))
        }
    }

    private static func mergeInPlace(_ arguments: ParsedArguments, _ printer: MergePrinter, _ console: Console)
        async throws -> ExitCode
    {
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            let report = try await merge(into: editor.document, arguments)
            if report.isApplied { _ = try await editor.commit() }
            return printer.tell(report, isDryRun: arguments.has(OptionSpecification.dryRun))
        }
    }

    private static func merge(into document: PersistentDocument, _ arguments: ParsedArguments) async throws
        -> DocumentMerge.Report
    {
        var decisions = DocumentMerge.Decisions()
        if let path = arguments.value("--decisions") {
            decisions.choices = try DecisionsFile.choices(at: path, document.model)
        }
        if arguments.has("--ours") { decisions.policy = .ours }
        if arguments.has("--theirs") { decisions.policy = .theirs }
        return try await DocumentMerge.merge(
            URL(fileURLWithPath: arguments.operands[1]), into: document, base: try .named(arguments.value("--base")),
            deciding: decisions,
            fitting: try FittingModel.choice(arguments.value("--model")))
    }

    // MARK: Copies

    private static func listCopies(_ text: String, _ arguments: ParsedArguments, _ console: Console) throws -> ExitCode
    {
        for option in ["--base", "--ours", "--theirs", "--decisions", "--output", "--force", "--stat"]
        where arguments.has(option) {
            throw InterchangeError.usage("\(option) goes with two documents", hint: specification.usage)
        }
        let path = try DocumentArgument.path(text)
        let folder = folder(of: path)
        let copies = try ConflictCopies.copies(of: URL(fileURLWithPath: path)).map { folder + $0.lastPathComponent }
        if console.isJSON {
            console.print(.object(["copies": .strings(copies), "path": .string(path)]))
            return .done
        }
        for copy in copies { console.print(Printable.line(copy)) }
        console.say(
            copies.isEmpty
                ? "no copies of \(Printable.line(path)) are beside it"
                : "merge one by naming it: folio merge \(Printable.line(ShellWord.quoted(path))) COPY")
        return .done
    }

    /// The folder in which a document is, as the document was named: empty, or with a slash at the
    /// end.
    private static func folder(of path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        if path == "." { return "../" }
        if path == ".." || path.hasSuffix("/..") { return path + "/../" }
        return path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}
