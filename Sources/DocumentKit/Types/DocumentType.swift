public import DocumentFiles
public import Migration
public import ObjectGraph
public import Schema

/// A type of documents that an application has, as it registers it with its ``DocumentController``.
///
/// ```swift
/// let library = DocumentType(
///     "Library", mimeType: "application/x-example-library", extensions: ["library", "libraryz"], model: model)
/// let controller = DocumentController(application: "example", types: [library])
/// ```
public struct DocumentType: Sendable {
    /// What the application does with documents of the type.
    public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
        /// Opens them for editing.
        case editor
        /// Shows them: they are opened for reading, and nothing is ever written.
        case viewer
    }

    /// What happens when a document of an older version of the model is opened for editing.
    public enum MigrationPolicy: Sendable, Hashable {
        /// The controller asks (``DocumentController/shouldMigrate(_:_:)``); a document that is not
        /// to be migrated is not opened.
        case ask
        /// It is migrated where it is; the old state is kept.
        case automatic
        /// A migrated copy is shown for reading; the document stays as it is.
        case readingCopy
        /// Opening fails with `DocumentError.modelMismatch`.
        case refuse
    }

    /// The name for people, such as “Library”.
    public var name: String
    /// The media type: `application/x-…` or a registered one.
    public var mimeType: String
    /// Extensions without the dot, the one that new documents get first. Case does not matter.
    public var extensions: [String]
    public var role = Role.editor
    /// The form of new documents.
    public var form = DocumentForm.package
    /// The current version of the model, and its name (nil for its first version identifier).
    public var model: ManagedObjectModel
    public var modelName: String?
    /// Earlier versions that may stand between a document's and the current one when it is
    /// migrated.
    public var earlierModels: [ManagedObjectModel] = []
    /// The versions and the stages between them, where the type was made by a plan.
    public private(set) var migrationPlan: (any SchemaMigrationPlan.Type)?
    public var migration = MigrationPolicy.ask
    /// What a document of this type is an instance of.
    public var documentClass: PersistentDocument.Type = PersistentDocument.self
    /// The classes of objects, by the names that the model gives in `managedObjectClassName`.
    public var objectClasses: [String: ManagedObject.Type] = [:]

    public init(_ name: String, mimeType: String, extensions: [String], model: ManagedObjectModel) {
        self.name = name
        self.mimeType = mimeType
        self.extensions = extensions
        self.model = model
    }

    /// A type whose documents have the newest version of a plan; those of former versions are
    /// brought to it by the plan's stages, as ``migration`` says.
    ///
    /// ```swift
    /// let library = try DocumentType("Library", mimeType: "application/x-example-library", extensions: ["library"], migrationPlan: LibraryPlan.self)
    /// ```
    /// - Throws: ``MigrationError`` for a plan that contradicts itself or has no version.
    public init(
        _ name: String, mimeType: String, extensions: [String], migrationPlan plan: any SchemaMigrationPlan.Type
    ) throws {
        let route = try PersistentDocument.MigrationRoute(by: plan)
        self.init(name, mimeType: mimeType, extensions: extensions, model: route.model)
        migrationPlan = plan
        earlierModels = route.formerVersions
        objectClasses = route.classes
    }

    /// How documents of former versions come to the current one.
    func route() throws -> PersistentDocument.MigrationRoute {
        var route = PersistentDocument.MigrationRoute(to: model, named: modelName, from: earlierModels)
        if let migrationPlan {
            route = try PersistentDocument.MigrationRoute(by: migrationPlan)
            route.name = modelName
        }
        return route
    }

    /// Whether a file or folder of this name looks like one of these documents. What it is really
    /// is decided by what is in it.
    public func matches(fileName: String) -> Bool {
        let name = fileName.lowercased()
        return extensions.contains { name.hasSuffix("." + $0.lowercased()) }
    }
}
