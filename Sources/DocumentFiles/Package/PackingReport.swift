/// The result of packing or unpacking a document.
public struct PackingReport: Sendable, Hashable {
    /// The number of files.
    public var files: Int
    /// The total size of the files in bytes, uncompressed.
    public var bytes: Int64
    /// The path of the new document, with symbolic links resolved.
    public var path: String
    /// The number of commits by other programs that were found in the WAL beside the store. They
    /// are part of the new document.
    public var outsideCommits = 0
}
