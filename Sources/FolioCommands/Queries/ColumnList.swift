import Folio

/// What `--columns` and `--group-by` say: key paths and expressions between commas, an expression
/// with `AS name` where it is to be called something else.
struct ColumnList {
    struct Column {
        /// What stands over the column and in JSON.
        let name: String
        let expression: QueryExpression
        /// The path, where it is nothing but one.
        var path: String? {
            guard case .keyPath(nil, let components) = expression, !components.contains(where: { $0.hasPrefix("@") })
            else { return nil }
            return components.joined(separator: ".")
        }

        var fetched: FetchColumn {
            if let path, path == name { return .keyPath(path) }
            return .expression(ExpressionDescription(name, expression))
        }
    }

    let columns: [Column]

    /// - Parameter entity: Decides whether `count` is a property or means how many there are.
    init(_ text: String, entity: EntityDescription) throws {
        columns = try Self.split(text).map { try Self.column($0, in: text, entity) }
        var names: Set<String> = []
        for column in columns where !names.insert(column.name).inserted {
            throw CommandError.usage(
                "the column \(column.name) is named twice",
                hint: "call one of them something else: \(column.name) AS NAME")
        }
    }

    init(_ columns: [Column]) {
        self.columns = columns
    }

    static let count = Column(name: "count", expression: .function("count:", [.evaluatedObject]))

    /// Whether every column is a key path and nothing else.
    var isPlain: Bool { columns.allSatisfy { $0.path == $0.name } }

    // MARK: Reading

    /// The parts between commas that stand in no parentheses or quotes.
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

    private static func column(_ part: Substring, in text: String, _ entity: EntityDescription) throws -> Column {
        let trimmed = part.drop { $0 == " " }
        guard let end = trimmed.lastIndex(where: { $0 != " " }) else {
            throw CommandError.usage("a column is missing in \(text)")
        }
        let written = String(trimmed[...end])
        // The last word after AS is a name.
        if let match = written.wholeMatch(of: /(?<expression>.+?)\s+[aA][sS]\s+(?<name>[\p{L}\p{N}_.]+)/) {
            return Column(
                name: String(match.output.name), expression: try expression(String(match.output.expression), entity))
        }
        return Column(name: written, expression: try expression(written, entity))
    }

    private static func expression(_ text: String, _ entity: EntityDescription) throws -> QueryExpression {
        if ["count()", "count(*)"].contains(text) || (text == "count" && entity.property(named: "count") == nil) {
            return count.expression
        }
        return try QueryExpression(format: text)
    }
}
