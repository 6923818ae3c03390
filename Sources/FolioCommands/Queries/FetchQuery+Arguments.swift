import Folio

/// The query of `fetch` and `explain`: objects, or rows of values.
extension FetchQuery {
    static let options = [
        ObjectSelection.whereOption,
        OptionSpecification(
            ["--sort"], value: "KEYS",
            "the order: keys between commas, - before one for descending, [c] [l] [n] behind one for a collation",
            repetition: .refused(hint: "write all keys in one, with commas between them")),
        OptionSpecification(["--limit"], value: "N", "at most N results"),
        OptionSpecification(["--offset"], value: "N", "leave out the first N"),
        OptionSpecification(
            ["--columns"], value: "COLUMNS",
            "only these keys and key paths, or expressions such as 'sum(price) AS total'",
            repetition: .refused(hint: "write all columns in one, with commas between them")),
        OptionSpecification(["--distinct"], "each row once"),
        OptionSpecification(
            ["--group-by"], value: "KEYS",
            "one row for each value of these keys; columns are then aggregates or what is grouped by",
            repetition: .refused(hint: "write all keys in one, with commas between them")),
        OptionSpecification(
            ["--having"], value: "PREDICATE", "a condition on groups, such as 'count > 3 AND max(year) < 1900'",
            repetition: .refused(hint: "join the conditions by AND")),
        OptionSpecification(
            ["--template"], value: "NAME", "the fetch request that the model keeps under NAME, in the place of ENTITY"),
        VariableValues.option,
    ]

    static let notes = """
        A column is a key, a key path (a to-many step gives all values), or an expression: count, sum(x), average(x), min(x), max(x), arithmetic and the functions of \
        predicates; year(x), month(x), day(x), hour(x), minute(x), second(x) and weekday(x) (1 for Monday) give the parts of a date in UTC, or with the name of a time zone as in \
        year(x, "Europe/Berlin") those there, in columns and in --where. \
        Aggregates are over all objects that are found, or over each group of --group-by; with these, expressions and --distinct, results are rows of \
        values without ids, made of what is saved. Without --columns, --group-by shows its keys and the count. A collation is [c] without case, [l] as the \
        language orders, [cl] both, [n] as file managers do.
        """

    static let formatNotes = """
        Objects come in the order of --sort; those that it does not tell apart, and all without it, by the name of their entity, then by number. Rows of --group-by and --distinct come by their columns. \
        In tables and lines NULL is nil, and "" an empty text; a text that reads so itself, or begins with a quote, stands in quotes. In CSV nil is an empty field, an empty text a pair of quotes. \
        A table that is too wide for the terminal loses the columns in which all is NULL, shows … for what is left out of others, and turns to lines where that would be illegible; --format table keeps it a table. \
        It is whole where the output is no terminal. In lines \\n is the end of a line within a value, and \\\\ a backslash.
        """

    /// The requested range of the results.
    struct Window {
        let offset: Int
        let limit: Int?

        /// - Throws: A usage error, before a document is opened.
        init(_ arguments: ParsedArguments) throws {
            offset = try arguments.count("--offset") ?? 0
            limit = try arguments.count("--limit")
        }
    }

    init(_ arguments: ParsedArguments, _ window: Window, in store: StoreIdentity) throws {
        let values = try VariableValues(arguments)
        var terms = FetchTerms(try Self.subject(arguments))
        terms.conditions = arguments.all("--where")
        terms.values = values
        terms.sort = arguments.value("--sort")
        terms.columns = arguments.value("--columns")
        terms.groups = arguments.value("--group-by")
        terms.having = arguments.value("--having")
        terms.isDistinct = arguments.has("--distinct")
        (terms.offset, terms.limit) = (window.offset, window.limit)
        terms.documentName = arguments.operands[0]
        try self.init(terms, in: store)
    }

    private static func subject(_ arguments: ParsedArguments) throws -> FetchTerms.Subject {
        guard let name = arguments.value("--template") else {
            guard arguments.operands.count == 2 else {
                throw InterchangeError.usage("which entity? Name one, or a fetch request of the model with --template")
            }
            return .entity(arguments.operands[1])
        }
        guard arguments.operands.count == 1 else {
            throw InterchangeError.usage("--template names the entity by itself: leave \(arguments.operands[1]) out")
        }
        return .template(name)
    }
}
