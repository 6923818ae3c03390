import Storage

/// A generation of a store: a state that contexts can be pinned to. The store preserves the state
/// while the token exists.
///
/// ```swift
/// try context.setQueryGeneration(from: .current)
/// ```
public final class QueryGenerationToken: Sendable {
    /// The generation at the time of the next read.
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
