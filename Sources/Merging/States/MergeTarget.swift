package import DocumentFiles
package import Schema
package import Storage

/// What becomes the merged document, as the states that it is merged with are read.
package struct MergeTarget: Sendable {
    package let path: String
    package let store: any StoreBackend
    /// Nil for a store that is none of a document.
    package let marker: DocumentMarker?
    /// The states that it knows.
    let states: [KnownState]

    package var model: ManagedObjectModel { store.identity.model }

    package init(_ session: DocumentSession) throws {
        path = session.path
        store = session.store
        // The store of a package has its marker also where it is opened by itself.
        marker = try session.marker ?? DocumentMarker(session.store.metadata())
        states = try KnownStates(of: session).list()
    }

    package init(path: String, store: any StoreBackend, marker: DocumentMarker?, states: [KnownState]) {
        self.path = path
        self.store = store
        self.marker = marker
        self.states = states
    }

    /// The same with another store.
    package func with(_ store: any StoreBackend, states: [KnownState]) -> MergeTarget {
        MergeTarget(path: path, store: store, marker: marker, states: states)
    }
}
