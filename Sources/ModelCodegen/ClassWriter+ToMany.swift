import Schema

extension ClassWriter {
    /// The methods that Xcode generates for a to-many relationship.
    func accessors(_ relationship: RelationshipDescription) -> String {
        let destination = names.objectType(model.entity(named: relationship.destinationEntityName))
        let suffix = SwiftNames.capitalized(relationship.name)
        let handle = "Self." + SwiftNames.handle(relationship.name)
        var text = "extension \(className) {\n"
        text += "    \(access)func addTo\(suffix)(_ value: \(destination)) { add(value, to: \(handle)) }\n"
        text += "    \(access)func removeFrom\(suffix)(_ value: \(destination)) { remove(value, from: \(handle)) }\n"
        text +=
            "    \(access)func addTo\(suffix)(_ values: some Sequence<\(destination)>) { add(values, to: \(handle)) }\n"
        text +=
            "    \(access)func removeFrom\(suffix)(_ values: some Sequence<\(destination)>) { remove(values, from: \(handle)) }\n"
        if relationship.isOrdered {
            text += orderedAccessors(SwiftNames.property(relationship.name), suffix, handle, destination)
        }
        return text + "}\n"
    }

    private func orderedAccessors(_ property: String, _ suffix: String, _ handle: String, _ destination: String)
        -> String
    {
        """
            \(access)func insertInto\(suffix)(_ value: \(destination), at idx: Int) { insert(value, into: \(handle), at: idx) }
            \(access)func removeFrom\(suffix)(at idx: Int) { remove(\(property)[idx], from: \(handle)) }
            \(access)func insertInto\(suffix)(_ values: [\(destination)], at indexes: IndexSet) {
                for (value, idx) in zip(values, indexes) { insertInto\(suffix)(value, at: idx) }
            }
            \(access)func removeFrom\(suffix)(at indexes: IndexSet) { remove(indexes.map { \(property)[$0] }, from: \(handle)) }
            \(access)func replace\(suffix)(at idx: Int, with value: \(destination)) {
                removeFrom\(suffix)(at: idx)
                insertInto\(suffix)(value, at: idx)
            }
            \(access)func replace\(suffix)(at indexes: IndexSet, with values: [\(destination)]) {
                removeFrom\(suffix)(at: indexes)
                insertInto\(suffix)(values, at: indexes)
            }

        """
    }
}
