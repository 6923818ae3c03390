/// The position of the completed word on a command line: the words before it, parsed by the
/// command's specification.
struct CommandLinePosition {
    let command: CommandSpecification
    /// The operands before the word, without shell quotes.
    private(set) var operands: [String] = []
    /// The options before the word with their values, by their first names.
    private(set) var options: [String: String] = [:]
    /// The option whose value the word is; nil if there is none.
    private(set) var pending: OptionSpecification?
    /// Whether `--` precedes the word, so that it can't be an option.
    private(set) var isPastOptions = false

    init(_ words: some Sequence<ShellWord>, of command: CommandSpecification) {
        self.command = command
        for word in words.map(\.text) {
            if let option = pending {
                options[option.names[0]] = word
                pending = nil
            } else if isPastOptions || !word.hasPrefix("-") || word == "-" {
                operands.append(word)
            } else if word == "--" {
                isPastOptions = true
            } else {
                note(word)
            }
        }
    }

    private mutating func note(_ word: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = command.option(named: parts[0]) else { return }
        if option.value != nil, parts.count == 1 {
            pending = option
        } else {
            options[option.names[0]] = parts.count == 2 ? parts[1] : ""
        }
    }

    var subcommand: Subcommand? { operands.first.flatMap { first in command.subcommands.first { $0.name == first } } }

    /// The possible words at the position as an operand.
    var operandWords: [String] {
        if let subcommand {
            return OperandPattern(subcommand.operands, options: command.options).words(at: operands.count - 1)
        }
        let own = OperandPattern(command.operands, options: command.options).words(at: operands.count)
        return operands.isEmpty ? command.subcommands.map(\.name) + own : own
    }

    /// The options that may still be given.
    var openOptions: [OptionSpecification] {
        let foreign = command.subcommands.flatMap(\.options).map { $0.names }
        return command.options.filter { option in
            if options[option.names[0]] != nil, option.repetition != .allowed { return false }
            if command.exclusions.contains(where: {
                $0.contains(option.names[0]) && $0.contains { options[$0] != nil && $0 != option.names[0] }
            }) {
                return false
            }
            let isOwn = command.ownOptions.contains { $0.names == option.names } || !foreign.contains(option.names)
            return isOwn || subcommand?.options.contains { $0.names == option.names } == true
        }
    }

    // MARK: Names

    /// The first operand that is a document or a model.
    var document: String? { subcommand == nil ? operands.first : operands.dropFirst().first }
    var model: String? { options["--model"] }

    /// The entity that the command refers to.
    var entityName: String? {
        if let name = options["--entity"] { return name }
        // The entity of `Person`, `Person/p1` or a URI.
        guard operands.count > 1 else { return nil }
        let parts = operands[1].split(separator: "/")
        return (parts.count > 1 ? parts[parts.count - 2] : parts.first).map(String.init)
    }
}
