/// A command of the table: what it is called, what it takes, what it does.
struct CommandSpecification: Sendable {
    let name: String
    let summary: String
    /// What follows the name in the usage line.
    let operands: String
    /// How many operands the command by itself takes.
    let ownCount: ClosedRange<Int>
    /// Those of the command and of all its subcommands.
    let options: [OptionSpecification]
    /// Groups of options of which only one can be given.
    let exclusions: [[String]]
    /// Whether `--output` names a file for what would be printed, and no document or folder that
    /// the command makes.
    let sendsResultsToFile: Bool
    /// Those of the command by itself.
    let ownOptions: [OptionSpecification]
    /// Words that, as the first operand, say what else is to be done.
    let subcommands: [Subcommand]
    /// After the options in the help text: paragraphs between empty lines, whose lines are joined
    /// and wrapped anew. Lines that begin with a space stand for themselves.
    let notes: String
    let examples: [String]

    /// What a command does, as far as that decides which options it has.
    struct Effects: OptionSet, Sendable {
        let rawValue: Int

        /// Opens documents, which may carry no model: `--model`.
        static let opens = Effects(rawValue: 1)
        /// Changes documents or makes files other than by `--output`: `--dry-run`.
        static let writes = Effects(rawValue: 2)
        /// Makes something in a place where there may be something: `--force`.
        static let replaces = Effects(rawValue: 4)

        var options: [OptionSpecification] {
            (contains(.opens) ? [OptionSpecification.model] : []) + (contains(.writes) ? [.dryRun] : [])
                + (contains(.replaces) ? [.force] : [])
        }
    }

    /// - Parameters:
    ///   - effects: What the command does; the options that this brings along need not be named.
    ///   - options: Those of the command by itself; one of the name of a common one stands in its
    ///     place.
    init(
        _ name: String, _ summary: String, operands: String, count: ClosedRange<Int>, _ effects: Effects = [],
        options: [OptionSpecification] = [],
        exclusions: [[String]] = [], subcommands: [Subcommand] = [], notes: String = "", examples: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        ownCount = count
        let ownOptions = options + effects.options.filter { effect in !options.contains { $0.names == effect.names } }
        let all = subcommands.reduce(into: ownOptions) { all, subcommand in
            all += subcommand.options.filter { option in !all.contains { $0.names == option.names } }
        }
        self.ownOptions = ownOptions
        let own = Set(all.flatMap(\.names))
        self.options = all + OptionSpecification.common.filter { own.isDisjoint(with: $0.names) }
        sendsResultsToFile = own.isDisjoint(with: OptionSpecification.output.names)
        self.exclusions = exclusions
        self.subcommands = subcommands
        self.notes = notes
        self.examples = examples
    }

    var usage: String { "usage: folio \(name) \(operands)" }

    /// The command lines of the command by itself and of its subcommands.
    var usages: [String] {
        ["folio \(name) \(operands)"] + subcommands.map { "folio \(name) \($0.name) \($0.operands)" }
    }

    /// How many operands there may be, the name of a subcommand among them.
    var count: ClosedRange<Int> {
        subcommands.reduce(ownCount) {
            min($0.lowerBound, $1.count.lowerBound + 1)...max($0.upperBound, $1.count.upperBound + 1)
        }
    }

    static let anyNumber = 1_000_000

    func option(named name: String) -> OptionSpecification? {
        options.first { $0.names.contains(name) }
    }
}
