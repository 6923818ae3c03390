/// What a save does about objects that were also changed in the store since they were read.
public struct MergePolicy: Sendable, Hashable {
    private enum Value: Sendable { case error }
    private let value: Value
    private init(_ value: Value) { self.value = value }

    /// The save fails with ``GraphError`` code `conflict`, and nothing is written.
    public static let error = MergePolicy(.error)
}
