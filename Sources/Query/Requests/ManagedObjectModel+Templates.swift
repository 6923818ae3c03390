public import Schema

extension ManagedObjectModel {
    /// The fetch request template with this name; nil if the model has none.
    public func fetchRequestTemplate(forName name: String) -> FetchRequestTemplate? {
        definition.fetchRequestTemplates.first { $0.name == name }
    }

    /// Creates a request from the template with this name; nil if the model has none.
    ///
    /// ```swift
    /// let request = try model.fetchRequestFromTemplate(withName: "recent", substitutionVariables: ["since": 1960], as: ManagedObject.self)
    /// ```
    /// - Throws: The errors of ``FetchRequest/init(template:substitutionVariables:)``.
    public func fetchRequestFromTemplate<Result>(
        withName name: String, substitutionVariables: [String: (any PredicateArgument)?] = [:], as result: Result.Type
    ) throws(QueryError) -> FetchRequest<Result>? {
        guard let template = fetchRequestTemplate(forName: name) else { return nil }
        return try FetchRequest(template: template, substitutionVariables: substitutionVariables)
    }
}
