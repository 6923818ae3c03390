/// The result of a repair.
public struct RepairReport: Sendable, Hashable {
    /// The parts that could not be read, or were changed; empty if everything was saved.
    public var lost: [DocumentFinding]
    /// Intact parts that are not in the new document.
    public var notes: [String]
    /// The number of objects of each entity that is not abstract in the new document, without
    /// sub-entities.
    public var entities: [String: Int]
    /// The path of the new document, with symbolic links resolved.
    public var path: String
}
