/// `folio help [COMMAND]`
enum HelpCommand: Command {
    static let specification = CommandSpecification(
        "help", "what the commands do", operands: "[COMMAND]", count: 0...1,
        options: [OptionSpecification(["--man"], "the manual page", isLater: true)])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let name = arguments.operands.first else {
            Help.printOverview(console)
            return .done
        }
        if let later = CommandTable.later[name] { throw CommandError.unavailable("\(name) (\(later))") }
        guard let command = CommandTable.command(named: name) else {
            throw CommandError.usage("unknown command \(name)", hint: Suggestion.sentence(for: name, among: CommandTable.names))
        }
        Help.printCommand(command.specification, console)
        return .done
    }
}
