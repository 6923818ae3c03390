/// A word in the first place of a command's operands that says what else is to be done: `prune` of
/// `folio versions prune DOC`.
struct Subcommand: Sendable {
    let name: String
    let summary: String
    /// What follows the name in the usage line.
    let operands: String
    /// How many operands follow the name.
    let count: ClosedRange<Int>
    /// What the subcommand understands and the command by itself does not.
    let options: [OptionSpecification]

    init(
        _ name: String, _ summary: String, operands: String, count: ClosedRange<Int>,
        options: [OptionSpecification] = []
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.count = count
        self.options = options
    }

    func usage(of command: String) -> String { "usage: folio \(command) \(name) \(operands)" }
}
