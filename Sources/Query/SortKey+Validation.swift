package import Schema

extension SortKey {
    /// Sort keys as they are typed on a command line: key paths separated by commas, `-` before one for descending, `+` or nothing for ascending.
    ///
    /// ```swift
    /// try SortKey.list("author.name,-year")
    /// ```
    /// - Throws: ``QueryError`` with code `syntax` where a path is missing.
    public static func list(_ text: String) throws(QueryError) -> [SortKey] {
        var keys: [SortKey] = []
        var offset = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let path = part.drop { $0 == " " }
            let isDescending = path.first == "-"
            let name = path.drop { $0 == "-" || $0 == "+" }.prefix { $0 != " " }
            let signs = path.prefix { $0 == "-" || $0 == "+" }
            guard signs.count <= 1, !name.isEmpty, path.dropFirst(signs.count + name.count).allSatisfy({ $0 == " " }),
                name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
            else {
                let expected = "a key or key path, with - before it for descending"
                throw QueryError(.syntax, "Expected \(expected), found \"\(part)\"", text: text, offset: offset, expected: expected)
            }
            keys.append(SortKey(String(name), ascending: !isDescending))
            offset += part.count + 1
        }
        return keys
    }

    /// Checks that the key path leads through to-one relationships to an attribute with an order.
    /// - Throws: ``QueryError`` with code `unknownKey`, `type` or `unsupported`.
    package func validated(against entity: Entity, in model: ManagedObjectModel) throws(QueryError) -> SortKey {
        let components = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if let operatorName = components.first(where: { $0.hasPrefix("@") }) {
            throw QueryError(.unsupported, "Results can't be sorted by \(operatorName)", entity: entity.name, key: keyPath)
        }
        let (path, type) = try QueryExpression.keyPath(base: nil, components: components).validated(against: entity, in: model)
        guard case .keyPath = path, type.hasOrder else {
            throw QueryError(.type, "\(keyPath) is a \(type.name): results can't be sorted by it", entity: entity.name, key: keyPath)
        }
        return self
    }
}
