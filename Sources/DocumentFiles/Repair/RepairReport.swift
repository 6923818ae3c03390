/// What a repair has saved, and what it could not.
public struct RepairReport: Sendable, Hashable {
    /// What could not be read, or not as it was, part by part; empty where all was saved.
    public var lost: [DocumentFinding]
    /// What is not in the new document though nothing was wrong with it.
    public var notes: [String]
    /// How many objects of each entity that is not abstract the new document has, sub-entities not
    /// counted in.
    public var entities: [String: Int]
    /// Where the new document is, links resolved.
    public var path: String
}
