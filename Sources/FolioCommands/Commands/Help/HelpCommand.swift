import Folio
import Foundation

/// `folio help [COMMAND|predicates]`
enum HelpCommand: Command {
    static let specification = CommandSpecification(
        "help", "what the commands do", operands: "[COMMAND|predicates]", count: 0...1,
        options: [
            OptionSpecification(["--man"], "the manual page"),
            OptionSpecification(["--mime"], "the description of Folio documents for Linux desktops (shared-mime-info)"),
        ], exclusions: [["--man", "--mime"]],
        notes: "folio help predicates tells the language of conditions.\n\n"
            + "folio help --man > ~/.local/share/man/man1/folio.1, and man folio shows the manual page.\n\n"
            + "folio help --mime > ~/.local/share/mime/packages/folio.xml, then update-mime-database ~/.local/share/mime, and file managers know archives.",
        examples: ["folio help fetch", "folio help predicates", "folio help --man | man -l -"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        if let option = ["--man", "--mime"].first(where: arguments.has), let name = arguments.operands.first {
            throw InterchangeError.usage("\(option) is about folio as a whole: leave \(name) out")
        }
        if arguments.has("--man") {
            if console.isJSON { throw InterchangeError.usage("the manual page is text: leave --json out") }
            ManualPage.print(console)
            return .done
        }
        if arguments.has("--mime") {
            if console.isJSON { throw InterchangeError.usage("the description is XML: leave --json out") }
            console.print(DocumentType.sharedMimeInfo(for: []).trimmingCharacters(in: .newlines))
            return .done
        }
        guard let name = arguments.operands.first else {
            Help.printOverview(console)
            return .done
        }
        if name == "predicates" {
            PredicateHelp.print(console)
            return .done
        }
        guard let command = CommandTable.command(named: name) else {
            throw InterchangeError.usage(
                "unknown command \(name)",
                hint: Suggestion.sentence(for: name, among: CommandTable.names + Help.topics.map(\.name))
                    ?? "see folio help for the commands")
        }
        Help.printCommand(command.specification, console)
        return .done
    }
}
