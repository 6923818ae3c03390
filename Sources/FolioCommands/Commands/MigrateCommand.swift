import Folio
import Foundation

/// `folio migrate DOC --model MODEL`
enum MigrateCommand: Command {
    static let specification = CommandSpecification(
        "migrate", "brings a document to another version of its model", operands: "DOC --model MODEL [-o NEW] [--no-backup]", count: 1...1,
        options: [
            OptionSpecification(["--model"], value: "MODEL", "the version to migrate to; of a model with several versions, the current one"),
            OptionSpecification(["--mapping"], value: "FILE", "a mapping model", isLater: true),
            OptionSpecification(["--output", "-o"], value: "NEW", "write the migrated document there and leave DOC as it is"),
            OptionSpecification(["--no-backup"], "keep no copy of the old state"),
            .dryRun,
        ],
        notes: "The migration is inferred. A package keeps the old state as a version; of a store or an archive\n"
            + "it is kept beside the document, as Name.before-<version>. The other versions of MODEL serve to read a store\n"
            + "that carries no model, and as steps in between where no single one leads to the new version.",
        examples: ["folio migrate Shop.sqlite --model Shop.xcdatamodeld --dry-run", "folio migrate Doc.folio --model 'Shop.xcdatamodeld#Shop 3' -o New.folio"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let modelText = arguments.value("--model") else {
            throw CommandError.usage("the version to migrate to is missing", hint: "give it with --model MODEL")
        }
        let source = try DocumentArgument.path(arguments.operands[0])
        let loaded = try await ModelArgument.load(modelText, console)
        let reference = ModelReference(modelText)
        let file = try? ModelFile(contentsOf: reference.url)
        let target = try arguments.value("--output").map { try DocumentArgument.path($0) }
        if let target { try DocumentFormArgument.refuseExisting(target) }

        var migrator = DocumentMigrator(path: target ?? source, model: loaded.model)
        migrator.modelName = loaded.version
        migrator.versions = file.map { file in file.versionNames.compactMap { try? file.model(version: $0) } } ?? []
        let resolver: @Sendable ([String: Data]) throws -> ManagedObjectModel? = { hashes in file?.model(matching: hashes)?.model }
        migrator.sourceModel = resolver
        if arguments.has(OptionSpecification.dryRun) {
            var preview = DocumentMigrator(path: source, model: loaded.model)
            (preview.versions, preview.sourceModel) = (migrator.versions, resolver)
            report(try preview.preview(), path: source, isDryRun: true, console)
            return .done
        }
        if let target {
            try await copy(source, to: target, resolver, console)
        } else if !arguments.has("--no-backup") {
            migrator.backupLabel = { hashes in file?.model(matching: hashes)?.name }
        }
        do {
            report(try await run(migrator, console), path: migrator.path, isDryRun: false, console)
        } catch {
            if let target { try? FileManager.default.removeItem(atPath: target) }
            throw error
        }
        return .done
    }

    /// Writes the document as it is to the new place, where it is migrated then.
    private static func copy(
        _ source: String, to target: String, _ resolver: @escaping @Sendable ([String: Data]) throws -> ManagedObjectModel?, _ console: Console
    ) async throws {
        let document = try await PersistentDocument.open(URL(fileURLWithPath: source), mode: .reading, fitting: resolver)
        do {
            try await document.write(to: URL(fileURLWithPath: target))
            try await document.close()
        } catch {
            try? await document.close()
            throw error
        }
    }

    /// Ctrl-C cancels the migration, which leaves the document as it was.
    private static func run(_ migrator: DocumentMigrator, _ console: Console) async throws -> DocumentMigration {
        var migrator = migrator
        let showsProgress = console.showsProgress
        let progress = MigrationProgress { state in
            if showsProgress { FileHandle.standardError.write(Data("\r\u{1B}[K\(Int(state.fractionCompleted * 100)) % \(Printable.line(state.stage))".utf8)) }
        }
        migrator.progress = progress
        let ready = migrator
        defer { if showsProgress { console.showTransient("") } }
        do {
            return try await console.interruption.committing {
                try await withTaskCancellationHandler { try ready.migrate() } onCancel: { progress.cancel() }
            }
        } catch let error as DocumentError where (error.underlying as? StorageError)?.code == .cancelled {
            throw CancellationError()
        }
    }

    private static func report(_ migration: DocumentMigration, path: String, isDryRun: Bool, _ console: Console) {
        if console.isJSON {
            console.print(
                .object([
                    "path": .string(path), "from": migration.from.map { .string($0) } ?? .null, "needed": .bool(migration.isNeeded),
                    "stages": .int(migration.stages), "steps": .strings(migration.steps), "backup": migration.backup.map { .string($0) } ?? .null,
                    "dryRun": .bool(isDryRun),
                ]))
            return
        }
        guard migration.isNeeded else { return console.print("the document is of this version already") }
        for step in migration.steps { console.print(Printable.line(step)) }
        if migration.stages > 1 {
            console.print(isDryRun ? "this is the first of \(migration.stages) inferred migrations" : "in \(migration.stages) inferred migrations")
        }
        if let backup = migration.backup { console.say("the old state is kept in \(Printable.line(backup))") }
    }
}
