import Schema
import Storage

/// The generation of the store that a context reads.
enum QueryGeneration {
    /// The latest commit.
    case unpinned
    /// The latest commit at the next read, which is then pinned.
    case pinnedAtNextReading
    case pinned(QueryGenerationToken)
}

/// The store that a context reads from and saves to: its parent, or the stores of its coordinator,
/// at a pinned generation if there is one.
final class StoreReader {
    let coordinator: PersistentStoreCoordinator
    /// The parent context as a store.
    private let parent: (any RowStore)?
    /// The generation that is read.
    private var generation = QueryGeneration.unpinned

    init(_ coordinator: PersistentStoreCoordinator, parent: (any RowStore)?) {
        self.coordinator = coordinator
        self.parent = parent
    }

    /// The store of a context, or the union of several stores. Throws if there is none.
    func store() throws -> any RowStore {
        if let parent { return parent }
        return try sharedStore()
    }

    /// The store of a context without a parent, for use in any thread.
    func sharedStore() throws -> any RowStore & Sendable {
        if let union = coordinator.union { return union }
        guard let store = coordinator.firstStore else { throw GraphError.noStore }
        return try pinned(store)
    }

    func identity() throws -> StoreIdentity {
        guard let store = coordinator.firstStore else { throw GraphError.noStore }
        return store.identity
    }

    // MARK: Points in time

    /// The pinned generation; nil if the context is not pinned, or will be pinned by the next read.
    var token: QueryGenerationToken? {
        if case .pinned(let token) = generation { token } else { nil }
    }

    /// The moment that a pinned context reads from now on; nil for one that is not pinned.
    func pinnedToken() throws -> QueryGenerationToken? {
        if case .unpinned = generation { return nil }
        _ = try store()
        return token
    }

    /// - Throws: ``GraphError`` with code `noStore` if the token belongs to a store that the
    ///   coordinator does not have.
    func pin(to token: QueryGenerationToken?) throws {
        guard let token else {
            generation = .unpinned
            return
        }
        guard let view = token.view else {
            generation = .pinnedAtNextReading
            return
        }
        guard coordinator.stores.contains(where: { $0 === view.store }) else { throw GraphError.noStore }
        generation = .pinned(token)
    }

    /// The store, or a view of it at the pinned generation.
    private func pinned(_ store: any StoreBackend) throws -> any RowStore & Sendable {
        if case .unpinned = generation { return store }
        return try view(of: store)
    }

    private func view(of store: any StoreBackend) throws -> any RowStore & Sendable {
        // Ignore a token of a store that was removed.
        if case .pinned(let token) = generation, let view = token.view, view.store === store { return view }
        guard let view = try (store as? any GenerationStore)?.currentView() else { return store }
        generation = .pinned(QueryGenerationToken(view: view))
        return view
    }

    /// Pins the context again at the next read. Called after a save, a merge or a reset.
    func moveForward() {
        if case .pinned = generation { generation = .pinnedAtNextReading }
    }
}
