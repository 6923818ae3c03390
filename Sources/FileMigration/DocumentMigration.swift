internal import DocumentFiles
public import Migration

/// A report of the migration of a document, or a preview of one.
public struct DocumentMigration: Sendable, Hashable {
    /// Data that a migration drops, with their amount in the document.
    public struct Loss: Sendable, Hashable, CustomStringConvertible {
        /// The name of the entity in the old version.
        public let entity: String
        /// The name of the property in the old version; nil for the whole entity.
        public let property: String?
        /// The number of objects of the entity, or of objects with a value of the property.
        public let count: Int

        public var description: String {
            guard let property else { return "\(entity) (\(Self.text(count, "object")))" }
            return "\(entity).\(property) (\(Self.text(count, "value")))"
        }

        private static func text(_ count: Int, _ noun: String) -> String {
            count == 0 ? "no \(noun)s" : count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
        }
    }

    /// The name of the document's version, if known.
    public internal(set) var from: String?
    /// The number of consecutive migrations; 0 if the document has the new version.
    public internal(set) var stages: Int
    /// A description of each step, for people.
    public internal(set) var steps: [String]
    /// Where the old state is kept: `Document@n` for a version of the document, or a path; nil if
    /// it is not kept.
    public internal(set) var backup: String?
    /// The estimated number of rows to process; rows that are processed several times are counted
    /// as often.
    public internal(set) var rows: Int64 = 0
    /// The estimated maximum number of bytes on disk that the migration needs, including the copy
    /// of the old state.
    public internal(set) var bytes: Int64 = 0
    /// Whether the tables are migrated by SQL. Otherwise objects are processed one by one: by a
    /// mapping model, which assigns new primary keys, or by handlers of stages, which keep them.
    /// Both may need memory for all objects.
    public internal(set) var isInPlace = true

    /// The differences of the new version; nil if no migration is needed.
    public internal(set) var difference: ModelDifference?
    /// The entities, attributes and relationships that the new version lacks, with their amount in
    /// the document.
    public internal(set) var losses: [Loss] = []

    /// How many of the steps go by a mapping model; the others are inferred, or stages of a plan.
    public internal(set) var mappingCount = 0

    /// Whether mapping models were given of which none is used.
    package internal(set) var isInferredBesideMappings = false

    /// Whether objects are lost unintentionally: those of entities that no entity mapping names, or
    /// all objects.
    public internal(set) var losesObjects = false

    /// Whether a migration is needed.
    public var isNeeded: Bool { stages > 0 }

    /// The estimated duration in seconds on an ordinary machine.
    public var seconds: Double { Double(rows) * (isInPlace ? 2e-6 : 2e-5) }
}
