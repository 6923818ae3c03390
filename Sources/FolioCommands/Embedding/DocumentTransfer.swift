package import Coding
package import Folio
package import Foundation

/// What commands do with documents, for programs that hold a document open: without a command line,
/// and without anything printed.
package enum DocumentTransfer {
    /// How many objects an import has inserted, updated and left as they were.
    package struct ImportCounts: Sendable {
        package let inserted: Int
        package let updated: Int
        package let unchanged: Int
    }

    /// The format of an export.
    package enum Format: String, Sendable, CaseIterable {
        case json, jsonl, csv
    }

    /// Imports a file into the context of an open document, as one step of undo. After an error
    /// nothing is changed, and undo is as it was.
    /// - Parameters:
    ///   - entity: The entity of objects of which the file does not say it.
    ///   - match: The attributes by which objects are found that are there already.
    ///   - importsAsNew: Whether rows that name objects of the document make new ones; else they
    ///     update these.
    package static func importFile(
        _ path: String, into document: PersistentDocument, entity: String?, match: String?, createsMissing: Bool,
        importsAsNew: Bool = false
    ) throws -> ImportCounts {
        guard document.mode == .editing else {
            throw CommandError(
                .permission, "readOnly", "the document is open for reading only", path: document.url.path)
        }
        var words = ["DOC", "FILE"]
        if let entity { words += ["--entity", entity] }
        if let match { words += ["--match", match] }
        if createsMissing { words.append("--create-missing") }
        if importsAsNew { words.append("--as-new") }
        let settings = try ImportSettings(
            ParsedArguments(words, for: ImportCommand.specification), document.context.model)
        var file = try ImportFile(path, entityName: entity)
        try file.settleEntity(in: document.context.model)
        let console = Console(isJSON: true, sink: ByteSink(descriptor: nil))
        let editor = DocumentEditor(unsaved: document, console)
        return try document.context.edits.asOneStep(named: "Import") {
            var importer = try DocumentImporter(editor, [file], settings, keepsMade: false, console)
            try importer.run()
            let counts = importer.outcome.total
            return ImportCounts(inserted: counts.inserted, updated: counts.updated, unchanged: counts.unchanged)
        }
    }

    /// Writes the committed objects of an open document to a file, which is there whole or not at
    /// all.
    /// - Parameter entity: The entity whose objects are written; nil for all.
    package static func export(_ document: PersistentDocument, to path: String, format: Format, entity: String?) throws
    {
        let interruption = Interruption()
        let file = try OutputFile(path: path, of: [document.url.path], interruption: interruption)
        let console = Console(isJSON: true, sink: file.sink)
        let exporter = try DocumentExporter(store: document.store, entityName: entity, console: console)
        switch format {
        case .json: try exporter.writeJSON(to: file.sink)
        case .jsonl: try exporter.writeLines(to: file.sink)
        case .csv: try exporter.writeCSV(to: file.sink)
        }
        try file.finish()
    }

    /// Commits the unsaved changes of a document that is to be exported, as autosaved work.
    /// - Throws: a usage error where the document can't be autosaved.
    package static func commitForExport(_ document: PersistentDocument) async throws {
        guard document.mode == .editing, document.hasUnsavedChanges else { return }
        do { try await document.autosave() } catch let error as DocumentError where error.code == .unsupported {
            throw CommandError(
                .usage, "unsavedChanges", "there are unsaved changes, which would not be exported",
                path: document.url.path, hint: "save them first")
        }
    }

    /// The result of resolving a conflict.
    package static func json(_ outcome: ResolvedConflict) -> JSONValue {
        .object([
            "copy": outcome.copy.map { .string($0.path) } ?? .null,
            "version": outcome.version.map { .int($0.generation) } ?? .null,
            "clashes": .array(
                outcome.clashes.map { clash in
                    .object([
                        "object": .string(clash.object), "property": clash.property.map { .string($0) } ?? .null,
                        "isMineKept": .bool(clash.isMineKept),
                    ])
                }),
        ])
    }

    /// Compares two documents, `DOC` or `DOC@n`.
    /// - Returns: What `folio diff --json` prints, and whether they differ.
    package static func difference(from old: String, to new: String) async throws -> (report: String, isDifferent: Bool)
    {
        let sink = ByteSink(descriptor: nil), console = Console(isJSON: true, sink: sink)
        let arguments = try ParsedArguments(["--json", "--", old, new], for: DiffCommand.specification)
        let exit = try await DiffCommand.run(arguments, console)
        return (sink.text, exit == .no)
    }

    /// What the store of a document lacks of its model, as a JSON array of strings.
    package static func missingParts(of document: PersistentDocument) -> String {
        text(.strings(document.store.missingParts))
    }

    /// The model of an open document, as `folio model --format json` prints it.
    package static func modelText(of document: PersistentDocument) -> String {
        let sink = ByteSink(descriptor: nil)
        let name = document.url.deletingPathExtension().lastPathComponent
        ModelJSON.write(
            LoadedModel(model: document.model, name: name, version: document.manifest?.model.name, versions: []),
            to: sink)
        return sink.text
    }

    /// The model that a `MODEL` of the command line names, with the name of its version.
    package static func model(_ text: String) async throws -> (model: ManagedObjectModel, name: String) {
        let loaded = try await ModelArgument.load(text, Console(isJSON: true, sink: ByteSink(descriptor: nil)))
        return (loaded.model, loaded.version ?? loaded.name)
    }

    /// The route of a migration to a model, by way of the versions that stand beside it.
    package static func route(to text: String) async throws -> PersistentDocument.MigrationRoute {
        let loaded = try await ModelArgument.load(text, Console(isJSON: true, sink: ByteSink(descriptor: nil)))
        let reference = ModelReference(text)
        var former: [ManagedObjectModel] = []
        if let file = try? ModelFile(contentsOf: reference.url) {
            former = file.versionNames.filter { $0 != loaded.version }.compactMap { try? file.model(version: $0) }
        }
        return PersistentDocument.MigrationRoute(
            to: loaded.model, named: loaded.version ?? loaded.name, from: former)
    }

    /// How the model of a document is found: its own, or what `--model` would name.
    package static func choice(_ model: String?) throws -> ModelChoice { try FittingModel.choice(model) }

    /// The form that the extension of a path says; nil where it says none.
    package static func defaultForm(of path: String) -> DocumentForm? { DocumentFormArgument.defaultForm(of: path) }

    /// The ID that the name of an object stands for, a URI or `Entity/p1`.
    package static func objectID(_ name: String, in document: PersistentDocument) throws -> ManagedObjectID {
        try ObjectName.id(name, in: document.store.identity)
    }

    /// A decimal number in plain notation.
    package static func text(_ decimal: Decimal) -> String { ValueText.decimal(decimal) }

    /// JSON on one line.
    package static func text(_ json: JSONValue) -> String {
        let sink = ByteSink(descriptor: nil)
        var writer = JSONWriter(sink, style: .compact)
        writer.value(json)
        return sink.text
    }
}
