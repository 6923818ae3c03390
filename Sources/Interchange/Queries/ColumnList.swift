package import Folio

/// Parses `--columns` and `--group-by`: comma-separated key paths and expressions, optionally with
/// `AS name`.
package struct ColumnList {
    package struct Column {
        /// The heading of the column, and its name in JSON.
        package let name: String
        package let expression: QueryExpression
        /// The key path, if the column is only a key path.
        package var path: String? {
            if isObject { return name }
            guard case .keyPath(nil, let components) = expression, !components.contains(where: { $0.hasPrefix("@") })
            else { return nil }
            return components.joined(separator: ".")
        }

        /// Whether the column is the object itself, as `SELF`.
        package var isObject: Bool { expression == .evaluatedObject && name == ColumnList.object }

        package var fetched: FetchColumn {
            if !isObject, let path, path == name { return .keyPath(path) }
            return .expression(ExpressionDescription(name, expression))
        }
    }

    package let columns: [Column]

    /// - Parameter entity: Determines whether `count` is a property or the number of objects.
    /// - Parameter groups: The columns of `--group-by`, whose names can be used.
    package init(_ text: String, entity: EntityDescription, groups: ColumnList? = nil) throws {
        columns = try Self.split(text).map { try Self.column($0, in: text, entity, groups) }
        var names: Set<String> = []
        for column in columns where !names.insert(column.name).inserted {
            throw InterchangeError.usage(
                "the column \(column.name) is named twice",
                hint: "call one of them something else: \(column.name) AS NAME")
        }
    }

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// The name of the column with the object itself.
    package static let object = "SELF"

    package static let count = Column(name: "count", expression: .function("count:", [.evaluatedObject]))

    /// Whether all columns are key paths without a name of their own, or the object itself.
    var isPlain: Bool { columns.allSatisfy { $0.path == $0.name } }

    // MARK: Reading

    /// The parts between commas that are not within parentheses or quotes.
    private static func split(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var depth = 0
        var quote: Character?
        var start = text.startIndex
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
                continue
            }
            switch character {
            case "'", "\"": quote = character
            case "(", "{", "[": depth += 1
            case ")", "}", "]": depth -= 1
            case "," where depth <= 0:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
        }
        parts.append(text[start...])
        return parts
    }

    private static func column(_ part: Substring, in text: String, _ entity: EntityDescription, _ groups: ColumnList?)
        throws -> Column
    {
        let trimmed = part.drop { $0 == " " }
        guard let end = trimmed.lastIndex(where: { $0 != " " }) else {
            throw InterchangeError.usage("a column is missing in \(text)")
        }
        let written = String(trimmed[...end])
        // The word after the last AS is the name.
        if let match = written.wholeMatch(of: /(?<expression>.+?)\s+[aA][sS]\s+(?<name>[\p{L}\p{N}_.]+)/) {
            return Column(
                name: String(match.output.name),
                expression: try expression(String(match.output.expression), entity, groups))
        }
        return Column(name: written, expression: try expression(written, entity, groups))
    }

    private static func expression(_ text: String, _ entity: EntityDescription, _ groups: ColumnList?) throws
        -> QueryExpression
    {
        if let group = groups?.columns.first(where: { $0.name == text }) { return group.expression }
        if ["count()", "count(*)"].contains(text) || (text == "count" && entity.property(named: "count") == nil) {
            return count.expression
        }
        return try QueryExpression(format: text)
    }
}
