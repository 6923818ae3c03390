/// A command: one type each, in a file of its own, listed in `CommandTable`.
protocol Command {
    static var specification: CommandSpecification { get }
    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode
}
