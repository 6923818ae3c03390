package import Schema

extension SortKey {
    /// Parses sort keys in the form of the command line: key paths separated by commas. `-` before
    /// a key path sorts descending, `+` or nothing ascending. After it, `[c]` sorts without regard
    /// to case, `[l]` by the rules of the locale, `[cl]` by both, and `[n]` as file managers do.
    ///
    /// ```swift
    /// try SortKey.list("author.name,-year")
    /// ```
    /// - Throws: ``QueryError`` with code `syntax` if a key path is missing.
    public static func list(_ text: String) throws(QueryError) -> [SortKey] {
        var keys: [SortKey] = []
        var offset = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let path = part.drop { $0 == " " }
            let isDescending = path.first == "-"
            let signs = path.prefix { $0 == "-" || $0 == "+" }
            let word = path.dropFirst(signs.count).prefix { $0 != " " }
            let (name, collation) = Self.collation(of: word)
            guard signs.count <= 1, !name.isEmpty, let collation,
                path.dropFirst(signs.count + word.count).allSatisfy({ $0 == " " }),
                name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
            else {
                let expected =
                    "a key or key path, with - before it for descending and [c], [l], [cl] or [n] behind it for a collation"
                throw QueryError(
                    .syntax, "Expected \(expected), found \"\(part)\"", text: text, offset: offset, expected: expected)
            }
            keys.append(SortKey(String(name), ascending: !isDescending, collation: collation))
            offset += part.count + 1
        }
        return keys
    }

    /// The key path, and the collation in brackets; nil if the collation is unknown.
    private static func collation(of word: Substring) -> (name: Substring, SortKey.Collation?) {
        guard word.last == "]", let open = word.lastIndex(of: "[") else { return (word, .binary) }
        let collation: SortKey.Collation? =
            switch word[open...] {
            case "[c]": .caseInsensitive
            case "[l]": .localized
            case "[cl]", "[lc]": .localizedCaseInsensitive
            case "[n]": .localizedStandard
            default: nil
            }
        return (word[..<open], collation)
    }

    /// Checks that the key path goes through to-one relationships to an attribute with an order, or
    /// refers to the object itself.
    /// - Throws: ``QueryError`` with code `unknownKey`, `type` or `unsupported`.
    package func validated(against entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError)
        -> SortKey
    {
        if relevanceQuery != nil {
            _ = try expression(for: entity, in: model)
            return self
        }
        if ordersObjects { return self }
        if keyPath == Self.objectID.keyPath, entity.property(named: keyPath) == nil {
            var key = self
            key.ordersObjects = true
            return key
        }
        let components = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if let operatorName = components.first(where: { $0.hasPrefix("@") }) {
            throw QueryError(
                .unsupported, "Results can't be sorted by \(operatorName)", entity: entity.name, key: keyPath)
        }
        let (path, type) = try QueryExpression.keyPath(base: nil, components: components).validated(
            against: entity, in: model)
        guard case .keyPath = path, type.hasOrder else {
            throw QueryError(
                .type, "\(keyPath) is a \(type.name): results can't be sorted by it", entity: entity.name, key: keyPath)
        }
        return self
    }
}
