import Query

// Fetches of objects of a class.
extension FetchExecutor {
    /// Fetched objects, as the class that their request names.
    func typed<Result: ManagedObject>(_ objects: [ManagedObject], _ request: FetchRequest<Result>) throws
        -> [Result]
    {
        // A cast of an array checks every element, even if both types are the same. Here the
        // comparison has shown that they are.
        if Result.self == ManagedObject.self { return unsafeBitCast(objects, to: [Result].self) }
        if let results = objects as? [Result] { return results }
        let found = objects.first { !($0 is Result) }
        throw GraphError(
            .wrongType,
            "\(request.entityName) has objects of class \(found.map { "\(type(of: $0))" } ?? ""), not \(Result.self): register the class with the coordinator",
            entity: request.entityName)
    }

    /// The name of a property of the class of a request.
    func name<Object: ManagedObject>(of path: PartialKeyPath<Object>, _ request: FetchRequest<Object>) throws -> String
    {
        if let name = Object.namesByKeyPath[path] { return name }
        throw GraphError(
            .unknownKey, "\(path) is no property of \(request.entityName)", entity: request.entityName, key: "\(path)")
    }
}

extension FetchRequest {
    init(
        _ entityName: String, _ predicate: FetchPredicate?, _ sortKeys: [SortKey] = [], limit: Int = 0
    ) {
        self.init(entityName: entityName)
        self.predicate = predicate
        sortDescriptors = sortKeys
        fetchLimit = limit
    }
}
