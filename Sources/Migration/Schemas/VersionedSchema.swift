public import ObjectGraph
public import Schema

/// The number of a version of a schema.
public struct SchemaVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let major: Int
    public let minor: Int
    public let patch: Int

    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    public static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    public var description: String { "\(major).\(minor).\(patch)" }
}

/// A version of a model as the classes of that version say it.
///
/// ```swift
/// enum LibraryV1: VersionedSchema {
///     static var versionIdentifier: SchemaVersion { SchemaVersion(1, 0, 0) }
///     static var models: [ManagedObject.Type] { [Book.self] }
///
///     @Model final class Book: ManagedObject { var title: String }
/// }
/// ```
/// A class of a later version that means the same entity has the same name, in the enum of that
/// version.
public protocol VersionedSchema {
    static var versionIdentifier: SchemaVersion { get }
    /// The classes with `@Model`. Those that they inherit from and those that their relationships
    /// lead to come along.
    static var models: [ManagedObject.Type] { get }
}

extension VersionedSchema {
    /// The model of this version; each call makes one.
    /// - Throws: ``ModelError`` with everything that is wrong in the classes.
    public static func model() throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(schema: models, versionIdentifier: "\(versionIdentifier)")
    }

    /// The classes by the names that the model gives them.
    public static var classes: [String: ManagedObject.Type] { ManagedObject.classesByName(models) }

    /// The model, for those who have checked it.
    fileprivate static var checkedModel: ManagedObjectModel {
        do { return try model() } catch {
            preconditionFailure("The version \(versionIdentifier) (\(self)) is no model: \(error)")
        }
    }
}

extension MigrationStage {
    /// A stage that is inferred.
    ///
    /// Traps where the classes of a version make no model.
    public static func lightweight(fromVersion old: any VersionedSchema.Type, toVersion new: any VersionedSchema.Type)
        -> MigrationStage
    {
        .lightweight(name(old, new), [old.checkedModel, new.checkedModel])
    }

    /// A stage with work before and after it. The contexts have objects of the classes of the old
    /// and of the new version; the handlers save them.
    ///
    /// Traps where the classes of a version make no model.
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
