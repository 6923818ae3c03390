/// The result of a repair.
public struct RepairReport: Sendable, Hashable {
    /// What could not be read, or was changed, part by part; empty if everything was saved.
    public var lost: [DocumentFinding]
    /// Intact parts that are not in the new document.
    public var notes: [String]
    /// The number of objects of each entity that is not abstract in the new document, without
    /// sub-entities.
    public var entities: [String: Int]
    /// The path of the new document, with symbolic links resolved.
    public var path: String
}
