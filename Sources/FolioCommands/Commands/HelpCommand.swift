import Folio
import Foundation

/// `folio help [COMMAND]`
enum HelpCommand: Command {
    static let specification = CommandSpecification(
        "help", "what the commands do", operands: "[COMMAND]", count: 0...1,
        options: [
            OptionSpecification(["--man"], "the manual page"),
            OptionSpecification(["--mime"], "the description of Folio documents for Linux desktops (shared-mime-info)"),
        ], exclusions: [["--man", "--mime"]],
        notes: "help --mime > ~/.local/share/mime/packages/folio.xml, then update-mime-database ~/.local/share/mime, and file managers know archives.",
        examples: ["folio help fetch", "folio help --mime"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        if let option = ["--man", "--mime"].first(where: arguments.has), let name = arguments.operands.first {
            throw CommandError.usage("\(option) is about folio as a whole: leave \(name) out")
        }
        if arguments.has("--man") { throw CommandError.unavailable("the option --man of help") }
        if arguments.has("--mime") {
            if console.isJSON { throw CommandError.usage("the description is XML: leave --json out") }
            console.print(DocumentType.sharedMimeInfo(for: []).trimmingCharacters(in: .newlines))
            return .done
        }
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
