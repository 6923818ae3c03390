/// What was packed or unpacked.
public struct PackingReport: Sendable, Hashable {
    /// How many files.
    public var files: Int
    /// Their bytes, uncompressed.
    public var bytes: Int64
    /// Where the new document is, links resolved.
    public var path: String
}
