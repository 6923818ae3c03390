public import Foundation

/// A file of the application's own, or a preview, that a save puts into the document.
public struct ExtraFile: Sendable {
    /// Where it is beneath `extra/` or `preview/`: plain names, with slashes between them.
    public var path: String
    /// Makes the content; called off the document's owner. Nil takes the file away.
    public var content: @Sendable () throws -> Data?

    public init(_ path: String, content: @escaping @Sendable () throws -> Data?) {
        self.path = path
        self.content = content
    }
}
