/// The specification of a command: its name, operands, options and help texts.
struct CommandSpecification: Sendable {
    let name: String
    let summary: String
    /// The text after the name in the usage line.
    let operands: String
    /// The number of operands of the command without a subcommand.
    let ownCount: ClosedRange<Int>
    /// The options of the command and of all its subcommands.
    let options: [OptionSpecification]
    /// Groups of options of which only one can be given.
    let exclusions: [[String]]
    /// Whether `--output` redirects the printed results to a file. False if it names a document or
    /// folder that the command creates.
    let sendsResultsToFile: Bool
    /// The options of the command without a subcommand.
    let ownOptions: [OptionSpecification]
    /// The subcommands, which may be the first operand.
    let subcommands: [Subcommand]
    /// The place of an operand that may be empty, since it is a value.
    let takesEmptyOperandAt: Int?
    /// The text after the options in the help: paragraphs separated by empty lines. The lines of a
    /// paragraph are joined and wrapped; lines that begin with a space are kept.
    let notes: String
    let examples: [String]

    /// The effects of a command that determine its common options.
    struct Effects: OptionSet, Sendable {
        let rawValue: Int

        /// Opens documents, which may contain no model: `--model`.
        static let opens = Effects(rawValue: 1)
        /// Changes documents, or creates files in other ways than by `--output`: `--dry-run`.
        static let writes = Effects(rawValue: 2)
        /// Creates a file that may already exist: `--force`.
        static let replaces = Effects(rawValue: 4)

        var options: [OptionSpecification] {
            (contains(.opens) ? [OptionSpecification.model] : []) + (contains(.writes) ? [.dryRun] : [])
                + (contains(.replaces) ? [.force] : [])
        }
    }

    /// - Parameters:
    ///   - effects: The effects of the command, which add options automatically.
    ///   - options: The options of the command without a subcommand. An option replaces a common
    ///     one with the same name.
    init(
        _ name: String, _ summary: String, operands: String, count: ClosedRange<Int>, _ effects: Effects = [],
        options: [OptionSpecification] = [],
        exclusions: [[String]] = [], takesEmptyOperandAt: Int? = nil, subcommands: [Subcommand] = [],
        notes: String = "", examples: [String] = []
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
        self.takesEmptyOperandAt = takesEmptyOperandAt
        self.subcommands = subcommands
        self.notes = notes
        self.examples = examples
    }

    var usage: String { "usage: folio \(name) \(operands)" }

    /// The usage lines of the command and of its subcommands.
    var usages: [String] {
        ["folio \(name) \(operands)"] + subcommands.map { "folio \(name) \($0.name) \($0.operands)" }
    }

    /// The number of operands, including the name of a subcommand.
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
