import Folio
import Foundation

/// `folio migrate DOC… --model MODEL`
enum MigrateCommand: Command {
    static let specification = CommandSpecification(
        "migrate", "brings documents to another version of their model",
        operands:
            "DOC… --model MODEL [--mapping FILE]… [--policy POLICY[.METHOD=EXPRESSION]]… [-o NEW [--force]] [--jobs N] [--allow-loss] [--no-backup]",
        count: 1...CommandSpecification.anyNumber, [.writes, .replaces],
        options: [
            OptionSpecification(
                ["--model"], value: "MODEL",
                "the version to migrate to; of a model with several versions, the current one"),
            OptionSpecification(
                ["--mapping"], value: "FILE",
                "a mapping model (.xcmappingmodel, .cdm) that says how, or a folder of them; without one it is inferred",
                repetition: .allowed),
            OptionSpecification(
                ["--policy"], value: "DEFINITION",
                "what a policy that mapping models name does: POLICY.METHOD=EXPRESSION with $1, $2 for the arguments, POLICY.PROPERTY=EXPRESSION, or POLICY if the mapping says all",
                repetition: .allowed),
            OptionSpecification(
                ["--output", "-o"], value: "NEW",
                "write the migrated document there, in the form that the extension says, and leave DOC as it is"),
            OptionSpecification(["--jobs"], value: "N", "how many documents are migrated at a time (1)"),
            OptionSpecification(["--no-backup"], "keep no copy of the old state"),
            OptionSpecification(["--allow-loss"], "leave out objects that the new version has no entity for"),
            OptionSpecification(["--verbose"], "say every step"),
        ], exclusions: [["--output", "--no-backup"], ["--output", "--jobs"]],
        notes: "What is added, changed and lost is said on standard error. Where an entity that has objects would\n"
            + "be lost, and no mapping model names it, or every entity, nothing is done without --allow-loss. Attributes and\n"
            + "relationships that the new version does not have go with their values, which is only said. A package keeps the\n"
            + "old state as a version; of a store or an archive it is kept beside the document, as Name.before-<version>. The other versions of MODEL serve to read a store that carries no model, and as steps in\n"
            + "between where no single one leads to the new version. Each step takes the mapping model that is for its two versions; one\n"
            + "from the version of DOC to the new one comes first, then the inferred step unless it drops what a way by mapping models\n"
            + "takes, then the way with the fewest steps. A mapping model that only renames, leaves out or splits is carried\n"
            + "out within the store, others object by object. Policies are classes of an application: one that calls for more than\n"
            + "expressions is for that application to run.\n"
            + "Of several documents each is migrated by itself: where one fails, the others go on, and the first failure is the exit code.",
        examples: [
            "folio migrate Shop.sqlite --model Shop.xcdatamodeld --dry-run",
            "folio migrate Doc.folio --model 'Shop.xcdatamodeld#Shop 3' -o New.folio",
            "folio migrate *.folio --model Shop.xcdatamodeld --jobs 4",
            "folio migrate Old.sqlite --model Shop.xcdatamodeld --mapping Mappings --policy 'MakerPolicy.shout:=uppercase($1)'",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let modelText = arguments.value("--model") else {
            throw InterchangeError.usage("the version to migrate to is missing", hint: "give it with --model MODEL")
        }
        let sources = withoutBackups(try arguments.operands.map { try DocumentArgument.path($0) }, console)
        let jobs = try arguments.count("--jobs") ?? 1
        guard jobs > 0 else { throw InterchangeError.usage("the option --jobs needs a number above 0") }
        let target = try arguments.value("--output").map { try DocumentArgument.path($0) }
        try DocumentFormArgument.refuseForceWithoutOutput(arguments, specification)
        if let target {
            guard sources.count == 1 else {
                throw InterchangeError.usage("one document is written to NEW, not \(sources.count)")
            }
            try DocumentFormArgument.refuseExisting(target, of: sources[0], arguments)
        }
        let loaded = try await ModelArgument.load(modelText, console)
        let file = try modelFile(modelText)
        let sourceModel = ModelChoice.versions(file.map { [$0] } ?? [])
        var template = DocumentMigrator(path: "", model: loaded.model)
        template.modelName = loaded.version
        template.versions = file.map { file in file.versionNames.compactMap { try? file.model(version: $0) } } ?? []
        template.sourceModel = sourceModel
        template.mappings = try mappings(arguments, console)
        let isDryRun = arguments.has(OptionSpecification.dryRun), isVerbose = arguments.has("--verbose")
        template.allowsLoss = arguments.has("--allow-loss")
        template.migratesCopy = target != nil
        if target == nil, !arguments.has("--no-backup") {
            template.backupLabel = { hashes in (try? version(of: file, matching: hashes))?.name }
        }
        for source in sources {
            console.reportOutsideCommits(at: source)
            // The migration itself reports errors of reading the document.
            let parts = try? DocumentInfo.missingParts(of: URL(fileURLWithPath: source), fitting: sourceModel)
            console.reportMissingParts(parts ?? [], source)
        }
        let migrators = sources.map { template.with(path: $0) }
        if let target, !isDryRun {
            let migration = try await migrate(
                sources[0], to: target, replacing: arguments.has(OptionSpecification.force), template, sourceModel,
                console
            )
            report(migration, path: target, isDryRun: false, isVerbose: isVerbose, console)
            return .done
        }
        let results = try await migrateAll(migrators, jobs: jobs, isDryRun: isDryRun, console)
        console.hasWritten = !isDryRun && results.contains { (try? $0.get())?.isNeeded == true }
        if results.count == 1 {
            report(try results[0].get(), path: target ?? sources[0], isDryRun: isDryRun, isVerbose: isVerbose, console)
            return .done
        }
        return report(results, sources, isDryRun: isDryRun, isVerbose: isVerbose, console)
    }

    /// The documents without the copies that earlier migrations kept of them.
    private static func withoutBackups(_ paths: [String], _ console: Console) -> [String] {
        let places = paths.map { URL(fileURLWithPath: $0) }
        return zip(paths, places).filter { path, place in
            let isBackup = places.contains {
                $0.deletingLastPathComponent() == place.deletingLastPathComponent()
                    && DocumentBackup.isBackup(place.lastPathComponent, of: $0.lastPathComponent)
            }
            if isBackup {
                console.say(
                    "note: \(Printable.line(path)) was kept by an earlier migration and stays as it is: name it alone to migrate it"
                )
            }
            return !isBackup
        }.map { $0.0 }
    }

    /// The file with the model versions; nil if the model is that of a document.
    private static func modelFile(_ text: String) throws -> ModelFile? {
        do {
            return try ModelFile(contentsOf: ModelReference(text).url)
        } catch {
            guard error.code == .unreadable || error.code == .notFound else { throw error }
            return nil
        }
    }

    private static func version(of file: ModelFile?, matching hashes: [String: Data]) throws -> (
        name: String, model: ManagedObjectModel
    )? {
        guard let file else { return nil }
        return try file.model(matching: hashes)
    }

    /// Writes an unchanged copy of the document to the new path and migrates the copy. A file to be
    /// replaced is kept until the migrated document, which is then created in a temporary folder,
    /// replaces it.
    private static func migrate(
        _ source: String, to target: String, replacing: Bool, _ template: DocumentMigrator,
        _ sourceModel: ModelChoice, _ console: Console
    ) async throws -> DocumentMigration {
        let form = DocumentForm(extensionOf: target)
        // If the form changes, the copy is migrated in the original form and then written in the
        // new form.
        let isConverted = form.map { $0 != DocumentFormArgument.form(ofDocumentAt: source) } ?? false
        let folder = replacing || isConverted ? try TemporaryFolder() : nil
        let place = folder.map { $0.path + "/" + ResolvedPath(target).name } ?? target
        try await DocumentOpening.withDocument(at: URL(fileURLWithPath: source), fitting: sourceModel) {
            try await $0.write(to: URL(fileURLWithPath: place))
        }
        do {
            let migration = try await migrateAll([template.with(path: place)], jobs: 1, isDryRun: false, console)[0]
                .get()
            if folder != nil { try await write(place, to: target, form, replacing: replacing, template.model) }
            console.hasWritten = true
            DocumentFormArgument.noteMissingModel(form, console)
            return withExtendedLifetime(folder) { migration }
        } catch {
            if folder == nil { try? FileManager.default.removeItem(atPath: target) }
            throw error
        }
    }

    private static func write(
        _ place: String, to target: String, _ form: DocumentForm?, replacing: Bool, _ model: ManagedObjectModel
    ) async throws {
        try await DocumentOpening.withDocument(at: URL(fileURLWithPath: place), fitting: .model(model)) {
            document in
            try await document.write(to: URL(fileURLWithPath: target), form: form, replacing: replacing)
        }
    }

    // MARK: Work

    typealias Outcome = Result<DocumentMigration, any Error>

    /// Ctrl-C cancels the running migrations, which leave their documents unchanged, and starts no
    /// further ones.
    private static func migrateAll(_ migrators: [DocumentMigrator], jobs: Int, isDryRun: Bool, _ console: Console)
        async throws -> [Outcome]
    {
        let line = MigrationLine(console, count: migrators.count)
        defer { line.end() }
        return try await console.interruption.committing {
            try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
                var outcomes = [Outcome?](repeating: nil, count: migrators.count)
                var next = 0
                func startNext() {
                    guard next < migrators.count else { return }
                    let (index, migrator) = (next, migrators[next])
                    group.addTask { (index, try await outcome(migrator, index, isDryRun: isDryRun, line)) }
                    next += 1
                }
                for _ in 0..<min(jobs, migrators.count) { startNext() }
                for try await (index, outcome) in group {
                    outcomes[index] = outcome
                    startNext()
                }
                return outcomes.compactMap { $0 }
            }
        }
    }

    /// - Throws: `CancellationError`. All other errors are part of the outcome.
    private static func outcome(_ migrator: DocumentMigrator, _ index: Int, isDryRun: Bool, _ line: MigrationLine)
        async throws -> Outcome
    {
        try Task.checkCancellation()
        defer { line.finish(index) }
        if isDryRun { return Outcome { try migrator.rehearse() } }
        let progress = MigrationProgress { line.show($0, of: index) }
        var migrator = migrator
        migrator.progress = progress
        let ready = migrator
        do {
            return .success(
                try await withTaskCancellationHandler {
                    try ready.migrate()
                } onCancel: {
                    progress.cancel()
                })
        } catch let error as DocumentError where (error.underlying as? StorageError)?.code == .cancelled {
            throw CancellationError()
        } catch let error as MigrationError where error.code == .cancelled {
            throw CancellationError()
        } catch {
            return .failure(error)
        }
    }
}
