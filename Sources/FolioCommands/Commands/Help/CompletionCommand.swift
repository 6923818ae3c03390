import Folio

/// `folio completion bash|zsh|fish`
enum CompletionCommand: Command {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static let specification = CommandSpecification(
        "completion", "prints a script that completes folio's command lines in a shell", operands: "bash|zsh|fish",
        count: 1...1, options: [],
        notes: """
            Commands, options, their choices and files are completed, and of the document that stands before on the line its entities, attributes and versions (behind DOC@).

            To install it, for you alone:
              bash  folio completion bash > ~/.local/share/bash-completion/completions/folio
              zsh   folio completion zsh > ~/.zfunc/_folio
              fish  folio completion fish > ~/.config/fish/completions/folio.fish
            The folder has to be there. bash needs the package bash-completion, or source <(folio completion bash) in ~/.bashrc; zsh needs fpath+=~/.zfunc before compinit in ~/.zshrc.
            """,
        examples: ["source <(folio completion bash)", "folio completion fish | source"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let name = arguments.operands[0]
        guard let shell = Shell(rawValue: name) else {
            let names = Shell.allCases.map(\.rawValue)
            throw InterchangeError.usage(
                "there is no completion for \(name)",
                hint: Suggestion.sentence(for: name, among: names) ?? "one of " + names.joined(separator: ", "))
        }
        let script = CompletionScripts.script(for: shell)
        if console.isJSON {
            console.print(.object(["script": .string(script), "shell": .string(shell.rawValue)]))
        } else {
            console.output.write(script)
        }
        return .done
    }
}
