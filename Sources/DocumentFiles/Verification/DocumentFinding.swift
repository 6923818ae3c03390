/// Something that is wrong with a document.
public struct DocumentFinding: Sendable, Hashable, CustomStringConvertible {
    /// The part of the document, as a path beneath it; `store` for the store's content.
    public var part: String
    public var message: String
    /// The object it is about, as `Entity/p7`.
    public var object: String?

    public init(_ part: String, _ message: String, object: String? = nil) {
        self.part = part
        self.message = message
        self.object = object
    }

    public var description: String { object.map { "\(part): \($0): \(message)" } ?? "\(part): \(message)" }
}
