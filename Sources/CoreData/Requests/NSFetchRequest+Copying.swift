public import Foundation

/// A fetch request of any type of results.
protocol FetchRequestOfAnyResult {
    /// What it says, for a request of another type of results to share.
    func share() -> SharedFetchRequest
}

extension NSFetchRequest: FetchRequestOfAnyResult {
    func share() -> SharedFetchRequest {
        content = explicitContent
        return shared
    }

    /// The content with the entity of the type of results, where it names none itself.
    private var explicitContent: FetchRequestContent {
        var explicit = content
        let isNamed = explicit.entity != nil || explicit.entityName != nil || explicit.entityClass != nil
        if !isNamed, ResultType.self != NSManagedObject.self {
            explicit.entityClass = ResultType.self as? NSManagedObject.Type
        }
        return explicit
    }

    /// A request for results of another type that says the same, also after a change of either; nil
    /// for what is no fetch request.
    ///
    /// On Apple's platforms `request as? NSFetchRequest<NSManagedObject>` succeeds for a request of
    /// any type, since types of Objective-C's generic classes are not known at run time. Swift's
    /// are, and the cast fails; this is what it means.
    public convenience init?(casting request: Any) {
        guard let other = request as? any FetchRequestOfAnyResult else { return nil }
        self.init(other.share())
    }

    /// The request as one of no particular results.
    var erased: NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest<any NSFetchRequestResult>(SharedFetchRequest(explicitContent))
    }
}

extension NSFetchRequest: NSCopying {
    /// A request of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        NSFetchRequest<ResultType>(SharedFetchRequest(content))
    }
}
