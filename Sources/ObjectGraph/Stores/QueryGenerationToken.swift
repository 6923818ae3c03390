import Storage

/// A moment of a store, as a context reads it; the store keeps what belongs to it as long as somebody holds it.
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

/// Which moment a context reads.
enum QueryGeneration {
    /// Always what is committed.
    case unpinned
    /// What is committed at the next reading, and that from then on.
    case pinnedAtNextReading
    case pinned(QueryGenerationToken)
}

extension ManagedObjectContext {
    /// The moment of the store that the context reads; nil while it is not pinned, and in a child, which reads through its parent.
    ///
    /// Pinning takes effect at the first reading: before it, this is nil too.
    public var queryGenerationToken: QueryGenerationToken? {
        if case .pinned(let token) = generation { token } else { nil }
    }

    /// Pins the context to a moment of its store: what others commit afterwards is not seen by fetches and faults, until the context moves on.
    ///
    /// - Parameter token: ``QueryGenerationToken/current`` for the moment of the next reading, another context's ``queryGenerationToken`` for the same moment as that
    ///   one's, nil to read what is committed.
    ///
    /// A save of the context, a merge of what others saved, and a reset move it to the moment of the reading that follows. Objects that were read keep their values. SQLite
    /// stores in WAL mode alone can be pinned; with others the context stays unpinned. A pinned moment keeps the store's WAL from being emptied: let go of it in time.
    /// - Throws: ``GraphError`` with code `noStore` where a token is of a store that the coordinator has not.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        guard let token else {
            generation = .unpinned
            return
        }
        guard let view = token.view else {
            generation = .pinnedAtNextReading
            return
        }
        guard persistentStoreCoordinator.stores.contains(where: { $0 === view.store }) else { throw GraphError.noStore }
        generation = .pinned(token)
    }

    /// What the context reads a store by.
    @inline(__always) func pinned(_ store: any PersistentStore) throws -> any RowStore {
        if case .unpinned = generation { return store }
        return try view(of: store)
    }

    private func view(of store: any PersistentStore) throws -> any RowStore {
        // Of a store that was taken away nothing is read any more.
        if case .pinned(let token) = generation, let view = token.view, view.store === store { return view }
        guard let view = try (store as? any GenerationStore)?.viewOfThisMoment() else { return store }
        generation = .pinned(QueryGenerationToken(view: view))
        return view
    }

    /// After a save, a merge or a reset: the next reading pins anew.
    func moveGenerationForward() {
        if case .pinned = generation { generation = .pinnedAtNextReading }
    }
}
