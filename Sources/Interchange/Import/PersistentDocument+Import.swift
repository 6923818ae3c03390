public import Folio
public import Foundation

/// What an import did.
public struct ImportSummary: Sendable {
    /// The number of records that made an object.
    public let inserted: Int
    /// The number of records that changed an object.
    public let updated: Int
    /// The number of records whose object was as they say.
    public let unchanged: Int
    /// The number of objects that were made because a column `relationship.attribute` refers to
    /// them.
    public let created: Int
    /// The large values that the files have no bytes for, as `Person/p7.portrait`: their files were
    /// missing when they were exported.
    public let missingValues: [String]

    init(_ outcome: ImportOutcome) {
        let total = outcome.total
        (inserted, updated, unchanged) = (total.inserted, total.updated, total.unchanged)
        created = outcome.created
        missingValues = outcome.missing.map(\.value)
    }
}

extension PersistentDocument {
    /// Imports the objects of a file into the context, as one step of undo. Nothing is saved. After
    /// an error nothing is changed, and undo is as it was.
    ///
    /// The format is told by the content: what ``export(to:as:entity:progress:)`` writes, flat JSON
    /// objects, or CSV with a header. Objects that are made are in memory until they are saved.
    ///
    /// ```swift
    /// var options = ImportOptions(entity: "Book")
    /// options.match = ["isbn"]
    /// let summary = try document.importObjects(from: url, options: options)
    /// ```
    /// - Parameters:
    ///   - url: The file.
    ///   - options: What is done with the records.
    ///   - progress: Called after some records each. What it throws ends the import.
    /// - Throws: `InterchangeError` with the file and the line for what can't be imported, and for
    ///   a document that is open for reading. `CancellationError` where the task is canceled.
    @discardableResult
    public func importObjects(
        from url: URL, options: ImportOptions = ImportOptions(),
        progress: (TransferProgress) throws -> Void = { _ in }
    ) throws -> ImportSummary {
        try importObjects(from: [url], options: options, progress: progress)
    }

    /// Imports the objects of several files, which may refer to each other in any order, as one
    /// step of undo.
    /// - Parameters:
    ///   - urls: The files.
    ///   - options: What is done with the records.
    ///   - progress: Called after some records each. What it throws ends the import.
    /// - Throws: As for one file.
    @discardableResult
    public func importObjects(
        from urls: [URL], options: ImportOptions = ImportOptions(),
        progress: (TransferProgress) throws -> Void = { _ in }
    ) throws -> ImportSummary {
        try importObjects(options: options, progress: progress) {
            try urls.map { try ImportFile(path: $0.path, entityName: options.entity) }
        }
    }

    /// Imports a file as a command line names it: a path, or `Entity=PATH`.
    package func importObjects(operand: String, options: ImportOptions) throws -> ImportSummary {
        try importObjects(options: options, progress: { _ in }) {
            [try ImportFile(operand, entityName: options.entity)]
        }
    }

    private func importObjects(
        options: ImportOptions, progress: (TransferProgress) throws -> Void, files open: () throws -> [ImportFile]
    ) throws -> ImportSummary {
        guard mode == .editing else {
            throw InterchangeError(.permission, "readOnly", "the document is open for reading only", path: url.path)
        }
        let settings = try ImportSettings(options, context.model)
        var files = try open()
        for index in files.indices { try files[index].settleEntity(in: context.model) }
        return try context.edits.asOneStep(named: "Import") {
            try withoutActuallyEscaping(progress) { progress in
                var importer = try DocumentImporter(
                    self, files, settings, takesPieces: false, keepsMade: false, progress: progress)
                try importer.run()
                return ImportSummary(importer.outcome)
            }
        }
    }
}
