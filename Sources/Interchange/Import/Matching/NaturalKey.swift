import Folio

/// A natural key: attributes of an entity whose values identify an object.
struct NaturalKey: Hashable {
    let entity: EntityDescription
    let attributes: [AttributeDescription]

    static func == (left: NaturalKey, right: NaturalKey) -> Bool {
        left.entity.index == right.entity.index && left.attributes.map(\.name) == right.attributes.map(\.name)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(entity.index)
        for attribute in attributes { hasher.combine(attribute.name) }
    }

    /// The values of an object; nil if one of them is nil, because nil identifies nothing.
    func values(of object: ManagedObject) throws -> Values? {
        let values = try attributes.map { try object.propertyValue(forKey: $0.name) }
        return values.contains { $0.isNull } ? nil : Values(values)
    }

    /// A description for messages: `first = "Ada", last = "Byron"`.
    func text(_ values: Values) -> String {
        zip(attributes, values.list).map { attribute, value in
            let text = ValueText.plain(value) ?? "nil"
            return "\(attribute.name) = " + (attribute.type == .string ? "\"\(text)\"" : text)
        }.joined(separator: ", ")
    }

    /// A request for the stored objects that have one of these values. With several attributes the
    /// result may include others.
    func request(_ wanted: some Collection<Values>) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        let parts = attributes.indices.map { index in
            let values = Set(wanted.map { Values([$0.list[index]]) })
            return FetchPredicate.comparison(
                ComparisonPredicate(.keyPath(attributes[index].name), .in, .constant(.list(values.flatMap(\.list)))))
        }
        request.predicate = parts.count == 1 ? parts[0] : .and(parts)
        request.returnsObjectsAsFaults = false
        return request
    }
}
