/// A store that supports snapshot reads: query generations.
package protocol GenerationStore: StoreBackend {
    /// A snapshot of the currently committed state that lasts until the result is released; nil if
    /// the store does not support it. Writes through the result change the store itself.
    func currentView() throws -> (any StoreView)?
    /// A snapshot of the currently committed state for a short sequence of reads, which may block
    /// writers; nil if the store does not support it.
    func viewForReading() throws -> (any StoreView)?
}

/// A snapshot of a store.
package protocol StoreView: RowStore, Sendable {
    var store: any StoreBackend { get }
}
