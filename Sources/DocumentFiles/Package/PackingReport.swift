/// What was packed or unpacked.
public struct PackingReport: Sendable, Hashable {
    /// How many files.
    public var files: Int
    /// Their bytes, uncompressed.
    public var bytes: Int64
    /// Where the new document is, links resolved.
    public var path: String
    /// How many commits of other programs were in the journal beside the store, which no save of
    /// the document made. They are part of what was packed.
    public var outsideCommits = 0
}
