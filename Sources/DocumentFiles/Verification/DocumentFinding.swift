/// An error in a document, found by verification or repair.
public struct DocumentFinding: Sendable, Hashable, CustomStringConvertible {
    /// The part of the document, as a path in it; `store` for the content of the store.
    public var part: String
    /// An explanation for people.
    public var message: String
    /// The object with the error, as `Entity/p7`.
    public var object: String?

    /// Creates a finding.
    public init(_ part: String, _ message: String, object: String? = nil) {
        self.part = part
        self.message = message
        self.object = object
    }

    public var description: String { object.map { "\(part): \($0): \(message)" } ?? "\(part): \(message)" }
}
