/// What `folio-port` makes of source files. It prints one as JSON, which `folio port` reads.
public struct PortedTree: Codable, Sendable, Equatable {
    /// The files, in the order of their request.
    public var files: [PortedSource]
    /// The classes of models that stand in the sources now, and that Xcode generated before.
    public var declaredClasses: [String]

    /// Creates a description of files.
    public init(files: [PortedSource], declaredClasses: [String]) {
        self.files = files
        self.declaredClasses = declaredClasses
    }
}
