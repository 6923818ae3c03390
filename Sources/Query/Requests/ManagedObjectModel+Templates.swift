public import Schema

extension ManagedObjectModel {
    /// The template of a fetch request that the model keeps under a name; nil where it keeps none.
    public func fetchRequestTemplate(forName name: String) -> FetchRequestTemplate? {
        description.fetchRequestTemplates.first { $0.name == name }
    }

    /// The request that a template stands for, with values for its variables; nil where the model
    /// has no template of that name.
    ///
    /// ```swift
    /// let request = try model.fetchRequestFromTemplate(withName: "recent", substitutionVariables: ["since": 1960], as: ManagedObject.self)
    /// ```
    /// - Throws: what ``FetchRequest/init(template:substitutionVariables:)`` throws.
    public func fetchRequestFromTemplate<Result>(
        withName name: String, substitutionVariables: [String: (any PredicateArgument)?] = [:], as result: Result.Type
    ) throws(QueryError) -> FetchRequest<Result>? {
        guard let template = fetchRequestTemplate(forName: name) else { return nil }
        return try FetchRequest(template: template, substitutionVariables: substitutionVariables)
    }
}
