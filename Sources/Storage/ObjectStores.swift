package import Schema

/// An ``AtomicStore`` whose primary keys stand for identities of its own, which are part of the
/// URIs of its objects.
package protocol ReferencingAtomicStore: AtomicStore {
    /// The identities by their primary keys; known once the store is loaded.
    var references: StoreReferences? { get }
}

/// An ``IncrementalStore`` whose results are complete and become faults: a fetch does not read the
/// values of its objects.
package protocol FaultingStore: IncrementalStore {
    /// The number of objects that match a request.
    func count(_ request: IncrementalFetchRequest, with context: IncrementalStoreContext) throws -> Int
}
