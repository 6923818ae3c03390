import Storage

/// That a context has all objects of a hierarchy, as a store had them in one state.
///
/// While the store is in that state and none of the objects was forgotten, the same request need
/// not be run: the objects are here, in the order of their numbers.
struct WholeFetch {
    let state: StoreState
    let count: Int
}
