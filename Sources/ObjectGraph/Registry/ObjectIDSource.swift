import Schema

/// Names objects by the stores that they are in.
protocol ObjectIDSource: AnyObject {
    /// The identities of the stores, by their places in primary keys.
    var storeIdentities: [Int: StoreIdentity] { get }
    /// The ID of a stored object; nil if its store is not there any more.
    func objectID(key: Int64, entityIndex: Int) -> ManagedObjectID?
}
