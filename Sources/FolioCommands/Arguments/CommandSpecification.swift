/// A command of the table: what it is called, what it takes, what it does.
struct CommandSpecification: Sendable {
    let name: String
    let summary: String
    /// What follows the name in the usage line.
    let operands: String
    /// How many operands there may be.
    let count: ClosedRange<Int>
    let options: [OptionSpecification]
    /// Groups of options of which only one can be given.
    let exclusions: [[String]]
    /// Paragraphs after the options in the help text.
    let notes: String
    let examples: [String]

    init(
        _ name: String, _ summary: String, operands: String, count: ClosedRange<Int>, options: [OptionSpecification], exclusions: [[String]] = [],
        notes: String = "", examples: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.count = count
        self.options = options + OptionSpecification.common
        self.exclusions = exclusions
        self.notes = notes
        self.examples = examples
    }

    var usage: String { "usage: folio \(name) \(operands)" }

    static let anyNumber = 1_000_000

    func option(named name: String) -> OptionSpecification? {
        options.first { $0.names.contains(name) }
    }
}
