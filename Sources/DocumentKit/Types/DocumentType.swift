public import FileMigration
public import DocumentFiles
public import Migration
public import ObjectGraph
public import Schema

/// A type of documents of an application, to be registered with its ``DocumentController``.
///
/// ```swift
/// let library = DocumentType(
///     "Library", mimeType: "application/x-example-library", extensions: ["library", "libraryz"], model: model)
/// let controller = DocumentController(application: "example", types: [library])
/// ```
public struct DocumentType: Sendable {
    /// The role of an application for a type of documents.
    public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
        /// The application edits documents.
        case editor
        /// The application shows documents. They are opened for reading, and nothing is written.
        case viewer
    }

    /// The name for people, such as “Library”.
    public var name: String
    /// The media type: `application/x-…` or a registered type.
    public var mimeType: String
    /// File extensions without a dot, regardless of case. New documents get the first one.
    public var extensions: [String]
    /// The role of the application.
    public var role = Role.editor
    /// The form of new documents.
    public var form = DocumentForm.package
    /// The current version of the model.
    public var model: ManagedObjectModel
    /// The name of the current version; nil for its first version identifier.
    public var modelName: String?
    /// Older versions of the model, which may be intermediate versions of a migration.
    public var earlierModels: [ManagedObjectModel] = []
    /// The migration plan from which the type was created.
    public private(set) var migrationPlan: (any SchemaMigrationPlan.Type)?
    /// The treatment of documents of older versions.
    public var migration: MigrationPolicy?
    /// The class of documents of this type.
    public var documentClass: PersistentDocument.Type = PersistentDocument.self
    /// The classes of objects by the names that the model uses in
    /// ``EntityDefinition/managedObjectClassName``.
    public var objectClasses: [String: ManagedObject.Type] = [:]

    /// Creates a type with a current version of the model.
    public init(_ name: String, mimeType: String, extensions: [String], model: ManagedObjectModel) {
        self.name = name
        self.mimeType = mimeType
        self.extensions = extensions
        self.model = model
    }

    /// Creates a type with the newest version of a migration plan. Documents of older versions are
    /// migrated by the plan's stages, as ``migration`` determines.
    ///
    /// ```swift
    /// let library = try DocumentType("Library", mimeType: "application/x-example-library", extensions: ["library"], migrationPlan: LibraryPlan.self)
    /// ```
    /// - Throws: ``MigrationError`` for a plan that is inconsistent or has no version.
    public init(
        _ name: String, mimeType: String, extensions: [String], migrationPlan plan: any SchemaMigrationPlan.Type
    ) throws {
        let route = try PersistentDocument.MigrationRoute(by: plan)
        self.init(name, mimeType: mimeType, extensions: extensions, model: route.model)
        migrationPlan = plan
        earlierModels = route.formerVersions
        objectClasses = route.classes
    }

    /// The migration route from older versions to the current one.
    func route() throws -> PersistentDocument.MigrationRoute {
        var route = PersistentDocument.MigrationRoute(to: model, named: modelName, from: earlierModels)
        if let migrationPlan {
            route = try PersistentDocument.MigrationRoute(by: migrationPlan)
            route.name = modelName
        }
        return route
    }

    /// Whether a file name has one of the type's extensions. The kind of document is determined by
    /// its content.
    public func matches(fileName: String) -> Bool {
        let name = fileName.lowercased()
        return extensions.contains { name.hasSuffix("." + $0.lowercased()) }
    }
}
