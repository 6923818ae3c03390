/// A subcommand, which is the first operand of a command: `prune` in `folio versions prune DOC`.
struct Subcommand: Sendable {
    let name: String
    let summary: String
    /// The text after the name in the usage line.
    let operands: String
    /// The number of operands after the name.
    let count: ClosedRange<Int>
    /// The options that the subcommand adds to those of the command.
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
