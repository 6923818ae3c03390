import Storage

/// Records that a context has all objects of a hierarchy, as they were in one state of a store.
///
/// While the store is in that state and none of the objects was unregistered, the same request
/// needs no query: the registered objects, in the order of their primary keys, are the result.
struct WholeFetch {
    let state: StoreState
    let count: Int
}
