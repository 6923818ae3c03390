public import Foundation

extension NSFetchRequest: NSCopying {
    /// A request of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchRequest<ResultType>()
        copy.take(self)
        return copy
    }

    private func take<Other>(_ other: NSFetchRequest<Other>) {
        (ownEntity, ownEntityName, entityClass) = (other.ownEntity, other.ownEntityName, other.entityClass)
        source = other.source
        (predicate, sortDescriptors) = (other.predicate, other.sortDescriptors)
        (fetchLimit, fetchOffset, fetchBatchSize) = (other.fetchLimit, other.fetchOffset, other.fetchBatchSize)
        (resultType, includesSubentities) = (other.resultType, other.includesSubentities)
        (includesPendingChanges, includesPropertyValues) = (other.includesPendingChanges, other.includesPropertyValues)
        returnsObjectsAsFaults = other.returnsObjectsAsFaults
        shouldRefreshRefetchedObjects = other.shouldRefreshRefetchedObjects
        relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
        (propertiesToFetch, propertiesToGroupBy) = (other.propertiesToFetch, other.propertiesToGroupBy)
        (havingPredicate, returnsDistinctResults) = (other.havingPredicate, other.returnsDistinctResults)
        affectedStores = other.affectedStores
    }

    /// The request as one of no particular results.
    var erased: NSFetchRequest<any NSFetchRequestResult> {
        let erased = NSFetchRequest<any NSFetchRequestResult>()
        erased.take(self)
        if ownEntity == nil, ownEntityName == nil, entityClass == nil {
            erased.entityClass = ResultType.self as? NSManagedObject.Type
        }
        return erased
    }
}
