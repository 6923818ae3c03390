public import DocumentFiles
public import Foundation
public import ObjectGraph
public import Schema

extension PersistentDocument {
    /// Opens a document.
    ///
    /// Opening takes about the same time for documents of any size, except for archives: a store of
    /// up to 64 MB in an archive is read, and a compressed one is extracted. Files are opened
    /// outside of the caller's isolation domain.
    ///
    /// - Parameters:
    ///   - mode: Whether the document is opened for editing or reading.
    ///   - model: The model of a store that contains none. If the document contains a model, they
    ///     must be equal. Nil for the document's own model or, in a class with a ``migrationPlan``,
    ///     for the newest version of the plan, to which older documents are migrated.
    ///   - recovery: The treatment of autosaved work of a former editor. In reading mode it is
    ///     always visible.
    ///   - classes: The classes of objects by the names that the model uses in
    ///     ``EntityDefinition/managedObjectClassName``.
    /// - Throws: `DocumentError`: `notFound`, `malformed`, `locked`, `recoverable`,
    ///   `modelMismatch`, `newer`, `permission` and others.
    public static func open(
        _ url: URL, mode: Mode = .editing, model: ManagedObjectModel? = nil, recovery: Recovery = .refuse,
        classes: [String: ManagedObject.Type] = [:]
    ) async throws -> Self {
        if model == nil, let plan = migrationPlan {
            return try await open(
                url, by: MigrationRoute(by: plan), migration: migrationPolicy, mode: mode, recovery: recovery,
                classes: classes)
        }
        return try await DocumentOpening.open(
            url, as: Self.self, mode: mode, recovery: recovery, classes: classes, fitting: ModelChoice(model))
    }

    /// Creates a document without objects and opens it for editing. Packages and archives contain
    /// their model.
    ///
    /// - Parameters:
    ///   - form: The form of the document.
    ///   - modelName: The name of the model version; nil for its first version identifier.
    ///   - replacing: Whether an existing document is replaced, atomically.
    ///   - classes: The classes of objects by the names that the model uses in
    ///     ``EntityDefinition/managedObjectClassName``.
    /// - Throws: `DocumentError`: `cannotCreate` if something exists at the location, `permission`,
    ///   `inputOutput`; with ``DocumentError/isWritten`` if the document was created and can't be
    ///   opened.
    public static func create(
        at url: URL, model: ManagedObjectModel, form: DocumentForm = .package, modelName: String? = nil,
        replacing: Bool = false,
        classes: [String: ManagedObject.Type] = [:]
    ) async throws -> Self {
        try await DocumentOpening.create(
            at: url, as: Self.self, model: model, form: form, modelName: modelName, replaces: replacing,
            classes: classes)
    }

    /// Creates a document without objects and does not open it.
    ///
    /// - Throws: `DocumentError`: `cannotCreate` if something exists at the location, `permission`,
    ///   `inputOutput`.
    @concurrent
    public static func writeEmpty(
        at url: URL, model: ManagedObjectModel, form: DocumentForm = .package, modelName: String? = nil,
        replacing: Bool = false
    ) async throws {
        try await DocumentWriter.writeEmpty(url, model, form, modelName, replaces: replacing).release()
    }
}
