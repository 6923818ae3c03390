import Storage

/// A moment of a store, as a context reads it; the store keeps what belongs to it as long as
/// somebody holds it.
///
/// ```swift
/// try context.setQueryGeneration(from: .current)
/// ```
public final class QueryGenerationToken: Sendable {
    /// The moment of the next reading.
    public static let current = QueryGenerationToken(view: nil)

    let view: (any StoreView)?

    init(view: (any StoreView)?) {
        self.view = view
    }
}

extension QueryGenerationToken: Hashable {
    public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
