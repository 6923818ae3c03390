internal import DocumentFiles
public import Migration

/// What a document's migration did, or would do.
public struct DocumentMigration: Sendable, Hashable {
    /// What a migration leaves out, with how much of it a document has.
    public struct Loss: Sendable, Hashable, CustomStringConvertible {
        /// The entity in the old version.
        public let entity: String
        /// The property in the old version; nil for the entity as a whole.
        public let property: String?
        /// How many objects the entity has, or how many of them have a value of the property.
        public let count: Int

        public var description: String {
            guard let property else { return "\(entity) (\(Self.text(count, "object")))" }
            return "\(entity).\(property) (\(Self.text(count, "value")))"
        }

        private static func text(_ count: Int, _ noun: String) -> String {
            count == 0 ? "no \(noun)s" : count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
        }
    }

    /// The name of the version that the document was of, where it is known.
    public internal(set) var from: String?
    /// How many migrations follow one another; 0 where the document is of the new version.
    public internal(set) var stages: Int
    /// One line for each step, for a person to read.
    public internal(set) var steps: [String]
    /// Where the old state is kept, if it is: `Document@n` for a version of the document, or a
    /// path.
    public internal(set) var backup: String?
    /// How many rows are gone through, those of several passes counted each time; an estimate.
    public internal(set) var rows: Int64 = 0
    /// How many bytes it may need on the disk while it runs, with what keeps the old state; an
    /// estimate from above.
    public internal(set) var bytes: Int64 = 0
    /// Whether it is done by tables alone; else objects are gone through one by one: by a mapping,
    /// which gives them new numbers, or by the handlers of a plan's stages, which keeps them.
    /// Either may take memory for all of them.
    public internal(set) var isInPlace = true

    /// What is different in the new version; nil where nothing is to be done.
    public internal(set) var difference: ModelDifference?
    /// The entities, attributes and relationships that the new version has no place for, with how
    /// much of each the document has.
    public internal(set) var losses: [Loss] = []

    /// Whether objects are lost that nothing says were meant to go: those of entities that no
    /// mapping model names, or of all entities.
    public internal(set) var losesObjects = false

    /// Whether there is anything to do.
    public var isNeeded: Bool { stages > 0 }

    /// How long it may take, by what a row costs on an ordinary machine: a few microseconds in
    /// place, some twenty as an object.
    public var seconds: Double { Double(rows) * (isInPlace ? 2e-6 : 2e-5) }
}
