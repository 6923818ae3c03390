public import Foundation

/// A fetch request of any type of results.
protocol FetchRequestOfAnyResult {
    /// What it says, with the entity of its type of results where it names none itself.
    var ownContent: FetchRequestContent { get }
}

extension NSFetchRequest: FetchRequestOfAnyResult {
    var ownContent: FetchRequestContent {
        if content.entity == nil, content.entityName == nil, content.entityClass == nil,
            ResultType.self != NSManagedObject.self
        {
            content.entityClass = ResultType.self as? NSManagedObject.Type
        }
        return content
    }

    /// A request for results of another type that says the same, also after a change of either; nil
    /// for what is no fetch request.
    ///
    /// On Apple's platforms `request as? NSFetchRequest<NSManagedObject>` succeeds for a request of
    /// any type, since types of Objective-C's generic classes are not known at run time. Swift's
    /// are, and the cast fails; this is what it means.
    public convenience init?(casting request: Any) {
        guard let other = request as? any FetchRequestOfAnyResult else { return nil }
        self.init(other.ownContent)
    }

    /// The request as one of no particular results.
    var erased: NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest<any NSFetchRequestResult>(FetchRequestContent(copying: ownContent))
    }
}

extension NSFetchRequest: NSCopying {
    /// A request of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        NSFetchRequest<ResultType>(FetchRequestContent(copying: content))
    }
}
