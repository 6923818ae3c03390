/// The treatment of a document of an older model version when it is opened.
///
/// ```swift
/// let document = try await PersistentDocument.open(url, by: route, migration: .ask { plan in await confirm(plan.steps) })
/// ```
public enum MigrationPolicy: Sendable {
    /// Opening throws ``DocumentError`` with code `modelMismatch`.
    case refuse
    /// The document is migrated, and its old state is kept.
    case automatic
    /// Like `automatic` if the function returns true for the preview of the migration, otherwise
    /// like `refuse`.
    case ask(@Sendable (DocumentMigration) async throws -> Bool)
    /// A migrated copy in a temporary folder is opened for reading. The document itself is
    /// unchanged.
    case readingCopy
}
