import ObjectGraph

extension NSManagedObjectContext {
    /// The policy for conflicts, as Folio's contexts take it.
    var folioMergePolicy: MergePolicy { PolicyAdapter.policy(of: mergePolicy) }
}
