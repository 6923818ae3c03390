public import ObjectGraph
public import Schema

/// The version number of a schema.
public struct SchemaVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The major version.
    public let major: Int
    /// The minor version.
    public let minor: Int
    /// The patch version.
    public let patch: Int

    /// Creates a version number.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    public static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    public var description: String { "\(major).\(minor).\(patch)" }
}

/// A version of a model, declared by the classes of that version.
///
/// ```swift
/// enum LibraryV1: VersionedSchema {
///     static var versionIdentifier: SchemaVersion { SchemaVersion(1, 0, 0) }
///     static var models: [ManagedObject.Type] { [Book.self] }
///
///     @Model final class Book: ManagedObject { var title: String }
/// }
/// ```
/// Declare the class of the same entity in a later version under the same name, nested in that
/// version's enum.
public protocol VersionedSchema {
    /// The number of the version, greater than that of earlier versions.
    static var versionIdentifier: SchemaVersion { get }
    /// The classes with `@Model`. Their superclasses and the destinations of their relationships
    /// are included automatically.
    static var models: [ManagedObject.Type] { get }
}

extension VersionedSchema {
    /// Creates the model of this version.
    ///
    /// - Throws: ``ModelError`` with all errors in the classes.
    public static func model() throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(schema: models, versionIdentifier: "\(versionIdentifier)")
    }

    /// The classes by their names in the model.
    public static var classes: [String: ManagedObject.Type] { ManagedObject.classesByName(models) }

    /// The model. Traps if it is not valid.
    fileprivate static var checkedModel: ManagedObjectModel {
        do { return try model() } catch {
            preconditionFailure("The version \(versionIdentifier) (\(self)) is no model: \(error)")
        }
    }
}

extension MigrationStage {
    /// A stage that is inferred. Traps if the classes of a version don't form a valid model.
    public static func lightweight(fromVersion old: any VersionedSchema.Type, toVersion new: any VersionedSchema.Type)
        -> MigrationStage
    {
        .lightweight(name(old, new), [old.checkedModel, new.checkedModel])
    }

    /// A stage with custom work before and after an inferred step. The contexts contain objects of
    /// the classes of the old and the new version; the handlers must save them. Traps if the
    /// classes of a version don't form a valid model.
    public static func custom(
        fromVersion old: any VersionedSchema.Type, toVersion new: any VersionedSchema.Type,
        willMigrate: ((ManagedObjectContext) throws -> Void)?,
        didMigrate: ((ManagedObjectContext) throws -> Void)?
    ) -> MigrationStage {
        .custom(
            name(old, new), from: old.checkedModel, to: new.checkedModel, willMigrate: willMigrate,
            didMigrate: didMigrate)
    }

    private static func name(_ old: any VersionedSchema.Type, _ new: any VersionedSchema.Type) -> String {
        "\(old.versionIdentifier) → \(new.versionIdentifier)"
    }
}
