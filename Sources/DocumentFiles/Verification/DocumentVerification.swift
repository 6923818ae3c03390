/// The result of a verification.
public struct DocumentVerification: Sendable, Hashable {
    /// The errors; empty for a document without known damage.
    public var findings: [DocumentFinding]
    /// The parts that could not be checked, with the reason: those for which the document has no
    /// checksum, such as the pages of a store that another program wrote. An alteration there can
    /// be damage that nobody notices.
    public var unchecked: [DocumentFinding]

    /// Creates a result.
    public init(findings: [DocumentFinding], unchecked: [DocumentFinding]) {
        self.findings = findings
        self.unchecked = unchecked
    }
}
