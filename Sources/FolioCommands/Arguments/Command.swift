/// A command. Each command is a type in a file of its own and is listed in `CommandTable`.
protocol Command {
    static var specification: CommandSpecification { get }
    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode
}
