import Schema
import Storage

/// Which moment a context reads.
enum QueryGeneration {
    /// Always what is committed.
    case unpinned
    /// What is committed at the next reading, and that from then on.
    case pinnedAtNextReading
    case pinned(QueryGenerationToken)
}

/// What a context reads and saves to: its parent, or the stores of its coordinator, at one moment
/// where the context is pinned to one.
final class StoreReader {
    let coordinator: PersistentStoreCoordinator
    /// The parent context as a store.
    private let parent: (any RowStore)?
    /// The moment of the store that is read.
    private var generation = QueryGeneration.unpinned

    init(_ coordinator: PersistentStoreCoordinator, parent: (any RowStore)?) {
        self.coordinator = coordinator
        self.parent = parent
    }

    /// The store, where there has to be one; several stand as one.
    func store() throws -> any RowStore {
        if let parent { return parent }
        if let union = coordinator.union { return union }
        guard let store = coordinator.firstStore else { throw GraphError.noStore }
        return try pinned(store)
    }

    func identity() throws -> StoreIdentity {
        guard let store = coordinator.firstStore else { throw GraphError.noStore }
        return store.identity
    }

    // MARK: Moments

    /// The moment that is read; nil while that is not settled, or always what is committed.
    var token: QueryGenerationToken? {
        if case .pinned(let token) = generation { token } else { nil }
    }

    /// - Throws: ``GraphError`` with code `noStore` where a token is of a store that the
    ///   coordinator has not.
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

    /// What a store is read by.
    private func pinned(_ store: any StoreBackend) throws -> any RowStore {
        if case .unpinned = generation { return store }
        return try view(of: store)
    }

    private func view(of store: any StoreBackend) throws -> any RowStore {
        // Of a store that was taken away nothing is read any more.
        if case .pinned(let token) = generation, let view = token.view, view.store === store { return view }
        guard let view = try (store as? any GenerationStore)?.currentView() else { return store }
        generation = .pinned(QueryGenerationToken(view: view))
        return view
    }

    /// After a save, a merge or a reset: the next reading pins anew.
    func moveForward() {
        if case .pinned = generation { generation = .pinnedAtNextReading }
    }
}
