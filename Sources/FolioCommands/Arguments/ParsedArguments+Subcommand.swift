import Foundation

extension ParsedArguments {
    /// The subcommand that the first operand names; nil if there is none. If the name is the only
    /// operand and a file with this name exists, it is a file.
    /// - Throws: A usage error for a mistyped name, too few or too many operands, or an option of
    ///   another subcommand.
    func subcommand(of command: CommandSpecification) throws -> Subcommand? {
        guard let first = operands.first else { return nil }
        let named = command.subcommands.first {
            $0.name == first && (operands.count > 1 || !FileManager.default.fileExists(atPath: first))
        }
        try checkOptions(of: named, command)
        if let named {
            if operands.count - 1 < named.count.lowerBound {
                throw InterchangeError.usage("too few arguments", hint: named.usage(of: command.name))
            }
            if operands.count - 1 > named.count.upperBound {
                throw InterchangeError.usage(
                    "one argument too many: \(operands[named.count.upperBound + 1])",
                    hint: named.usage(of: command.name))
            }
            return named
        }
        guard operands.count > command.ownCount.upperBound else { return nil }
        if let name = operands.dropFirst().first(where: { word in command.subcommands.contains { $0.name == word } }) {
            throw InterchangeError.usage(
                "one argument too many: \(name)",
                hint: "did you mean folio \(command.name) \(name) \(ShellWord.quoted(first))?")
        }
        if let suggestion = Suggestion.sentence(for: first, among: command.subcommands.map(\.name)),
            !FileManager.default.fileExists(atPath: first)
        {
            throw InterchangeError.usage("unknown subcommand \(first)", hint: suggestion)
        }
        throw InterchangeError.usage(
            "one argument too many: \(operands[command.ownCount.upperBound])", hint: command.usage)
    }

    private func checkOptions(of named: Subcommand?, _ command: CommandSpecification) throws {
        let options = command.subcommands.flatMap(\.options).filter { option in
            !command.ownOptions.contains { $0.names == option.names }
        }
        for option in options where has(option) && named?.options.contains(where: { $0.names == option.names }) != true
        {
            let owners = command.subcommands.filter { $0.options.contains { $0.names == option.names } }
            throw InterchangeError.usage(
                "\(option.names[0]) goes with " + owners.map(\.name).joined(separator: ", "),
                hint: owners[0].usage(of: command.name))
        }
    }
}
