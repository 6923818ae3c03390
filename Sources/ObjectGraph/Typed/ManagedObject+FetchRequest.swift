public import Query

extension ManagedObject {
    /// The name of the entity of the class: the one that `@Model` or the generated code declares,
    /// otherwise the name of the class.
    static var entityName: String {
        if let declared = _SchemaEntity.declared(by: self) { return declared.name }
        let generated = (self as? any _KeyPathDeclaring.Type)?._entityNames[ObjectIdentifier(self)]
        return generated ?? String(describing: self)
    }
}

extension KeyPathNaming where Self: ManagedObject {
    /// Creates a request for all objects of the class, those of sub-entities included.
    ///
    /// ```swift
    /// var request = Book.fetchRequest()
    /// request.fetchLimit = 20
    /// let books = try context.fetch(request)
    /// ```
    /// The entity is the one that `@Model` or generated code declares for the class. For other
    /// classes it has the name of the class; if the model names it differently, use
    /// ``ManagedObjectContext/request(for:where:sort:offset:limit:prefetching:)``, which asks the
    /// coordinator.
    public static func fetchRequest() -> FetchRequest<Self> { FetchRequest(entityName: entityName) }
}
