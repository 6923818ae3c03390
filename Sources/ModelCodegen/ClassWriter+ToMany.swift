import Schema

extension ClassWriter {
    /// The methods that Xcode generates for a to-many relationship.
    func accessors(_ relationship: RelationshipDescription) -> String {
        let destination = names.objectType(model.entity(named: relationship.destinationEntityName))
        let suffix = names.suffix(relationship.name, of: entity)
        let handle = "Self." + SwiftNames.handle(relationship.name)
        let sequence = names.swift("Sequence")
        var text = "extension \(className) {\n"
        text += "    \(access)func addTo\(suffix)(_ value: \(destination)) { add(value, to: \(handle)) }\n"
        text += "    \(access)func removeFrom\(suffix)(_ value: \(destination)) { remove(value, from: \(handle)) }\n"
        text +=
            "    \(access)func addTo\(suffix)(_ values: some \(sequence)<\(destination)>) { add(values, to: \(handle)) }\n"
        text +=
            "    \(access)func removeFrom\(suffix)(_ values: some \(sequence)<\(destination)>) { remove(values, from: \(handle)) }\n"
        if relationship.isOrdered {
            text += orderedAccessors(names.property(relationship.name, of: entity), suffix, handle, destination)
        }
        return text + "}\n"
    }

    private func orderedAccessors(_ property: String, _ suffix: String, _ handle: String, _ destination: String)
        -> String
    {
        let int = names.swift("Int"), indexSet = names.type("IndexSet", in: "Foundation")
        // The parameters hide properties of their names.
        let property = ["value", "values", "idx", "indexes"].contains(property) ? "self." + property : property
        return """
                \(access)func insertInto\(suffix)(_ value: \(destination), at idx: \(int)) { insert(value, into: \(handle), at: idx) }
                \(access)func removeFrom\(suffix)(at idx: \(int)) { remove(\(property)[idx], from: \(handle)) }
                \(access)func insertInto\(suffix)(_ values: [\(destination)], at indexes: \(indexSet)) {
                    for (value, idx) in Swift.zip(values, indexes) { insertInto\(suffix)(value, at: idx) }
                }
                \(access)func removeFrom\(suffix)(at indexes: \(indexSet)) { remove(indexes.map { \(property)[$0] }, from: \(handle)) }
                \(access)func replace\(suffix)(at idx: \(int), with value: \(destination)) {
                    removeFrom\(suffix)(at: idx)
                    insertInto\(suffix)(value, at: idx)
                }
                \(access)func replace\(suffix)(at indexes: \(indexSet), with values: [\(destination)]) {
                    removeFrom\(suffix)(at: indexes)
                    insertInto\(suffix)(values, at: indexes)
                }

            """
    }
}
