/// A store that can be read as it is at one moment, whatever is committed afterwards.
package protocol GenerationStore: StoreBackend {
    /// What is committed now, for as long as the result is held; nil where the store can't keep it.
    /// What is written by way of it goes to the store.
    func currentView() throws -> (any StoreView)?
    /// What is committed now, for a reading of many steps that soon comes to its end: writers may
    /// have to wait for it. Nil where the store can't keep it.
    func viewForReading() throws -> (any StoreView)?
}

/// One moment of a store.
package protocol StoreView: RowStore, Sendable {
    var store: any StoreBackend { get }
}
