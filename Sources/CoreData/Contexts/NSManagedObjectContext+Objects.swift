import ObjectGraph

extension NSManagedObjectContext {
    // MARK: Fetching

    /// Fetches what matches a request.
    ///
    /// - Throws: An error of Cocoa's domain.
    public func fetch<Result>(_ request: NSFetchRequest<Result>) throws -> [Result] {
        try translatingErrors(in: folio) { try request.results(in: self) }
    }

    /// The number of results of a request.
    ///
    /// - Throws: An error of Cocoa's domain.
    public func count<Result>(for request: NSFetchRequest<Result>) throws -> Int {
        try translatingErrors(in: folio) { try request.count(in: self) }
    }

    /// Executes a request: a fetch, a batch, or one for history.
    ///
    /// - Throws: An error of Cocoa's domain.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try translatingErrors(in: folio) { try request.execute(in: self) }
    }

    // MARK: Generations

    /// The generation that the context reads; nil while it is not pinned.
    public var queryGenerationToken: NSQueryGenerationToken? {
        folio?.queryGenerationToken.map { NSQueryGenerationToken($0) }
    }

    /// Pins the context to a generation, or with nil to the latest commit.
    ///
    /// - Throws: An error of Cocoa's domain.
    public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try translatingErrors(in: folio) { try required.setQueryGeneration(from: generation?.folio) }
    }

    // MARK: Own objects

    func own(_ object: ManagedObject) -> NSManagedObject {
        guard let own = object as? NSManagedObject else {
            preconditionFailure("\(type(of: object)) is no NSManagedObject: the context is one of Folio's own")
        }
        return own
    }

    func own(_ objects: Set<ManagedObject>?) -> Set<NSManagedObject> { Set((objects ?? []).map { own($0) }) }
}
