public import Foundation

/// A file of the application, or a preview, that a save writes into the document.
public struct ExtraFile: Sendable {
    /// The path relative to `extra/` or `preview/`: plain names separated by slashes.
    public var path: String
    /// Returns the content of the file; nil deletes the file. It is called outside of the isolation
    /// domain of the document.
    public var content: @Sendable () throws -> Data?

    /// Creates a description of a file.
    public init(_ path: String, content: @escaping @Sendable () throws -> Data?) {
        self.path = path
        self.content = content
    }
}
