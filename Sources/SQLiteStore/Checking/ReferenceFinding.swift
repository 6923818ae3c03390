/// A row or reference that is invalid.
package struct ReferenceFinding: Sendable, Hashable {
    /// `Entity/p7`, where the finding is about one object.
    package var object: String?
    package var message: String

    init(_ message: String, object: String? = nil) {
        self.message = message
        self.object = object
    }
}
