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
    /// Those of the command by itself.
    let ownOptions: [OptionSpecification]
    /// Words that, as the first operand, say what else is to be done.
    let subcommands: [Subcommand]
    /// After the options in the help text: paragraphs between empty lines, whose lines are joined and wrapped anew. Lines that begin with a space stand for themselves.
    let notes: String
    let examples: [String]

    /// - Parameter options: Those of the command by itself.
    init(
        _ name: String, _ summary: String, operands: String, count: ClosedRange<Int>, options: [OptionSpecification], exclusions: [[String]] = [],
        subcommands: [Subcommand] = [], notes: String = "", examples: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        ownCount = count
        let all = subcommands.reduce(into: options) { all, subcommand in
            all += subcommand.options.filter { option in !all.contains { $0.names == option.names } }
        }
        ownOptions = options
        self.options = all + OptionSpecification.common
        self.exclusions = exclusions
        self.subcommands = subcommands
        self.notes = notes
        self.examples = examples
    }

    var usage: String { "usage: folio \(name) \(operands)" }

    /// The command lines of the command by itself and of its subcommands.
    var usages: [String] { ["folio \(name) \(operands)"] + subcommands.map { "folio \(name) \($0.name) \($0.operands)" } }

    /// How many operands there may be, the name of a subcommand among them.
    var count: ClosedRange<Int> {
        subcommands.reduce(ownCount) { min($0.lowerBound, $1.count.lowerBound + 1)...max($0.upperBound, $1.count.upperBound + 1) }
    }

    static let anyNumber = 1_000_000

    func option(named name: String) -> OptionSpecification? {
        options.first { $0.names.contains(name) }
    }
}
