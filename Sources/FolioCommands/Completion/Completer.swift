import Folio
import Foundation

/// Completes a word of a command line, for the scripts of `folio completion`.
///
/// The scripts call `folio completion --words SHELL WORD…` with the words up to the cursor, without
/// the program's name. The last one is the word to complete, which may be empty. The output is a
/// line of flags (`files` if files are candidates, `nospace` if no space follows a candidate), and
/// a line for each candidate: the whole word, a tab, and a description. The call is handled before
/// options are parsed and is not in the help, because the words may contain any option. Errors give
/// no candidates, and nothing is written anywhere.
struct Completer {
    private static let command = "completion"
    private static let option = "--words"
    /// The time limit in seconds. A document that takes longer to open gives no candidates.
    private static let longest = 2.0

    private let shell: CompletionCommand.Shell
    private let words: [ShellWord]
    private var isFile = false
    private var continues = false
    private var candidates: [DocumentNames.Name] = []

    static func isAsked(_ words: [String]) -> Bool { words.count > 2 && words[0] == command && words[1] == option }

    /// Prints the answer to a call by a script.
    static func answer(_ words: [String], _ console: Console) async -> ExitCode {
        guard let shell = CompletionCommand.Shell(rawValue: words[2]) else { return .done }
        DispatchQueue.global().asyncAfter(deadline: .now() + longest) {
            TemporaryFiles.removeAll()
            _exit(ExitCode.done.rawValue)
        }
        var completer = Completer(shell, Array(words.dropFirst(3)))
        await completer.complete()
        completer.print(console)
        return .done
    }

    private init(_ shell: CompletionCommand.Shell, _ words: [String]) {
        self.shell = shell
        let home = ProcessInfo.processInfo.environment["HOME"], last = words.count - 1
        // fish passes the words before the completed one without quotes.
        self.words = words.enumerated().map {
            $0 < last && shell == .fish ? ShellWord(plain: $1) : ShellWord($1, home: home)
        }
    }

    private func print(_ console: Console) {
        console.print([isFile ? "files" : "none", continues ? "nospace" : ""].joined(separator: " "))
        for candidate in candidates { console.print(candidate.text + "\t" + Printable.line(candidate.summary)) }
        try? console.output.finish()
    }

    // MARK: Locations

    private mutating func complete() async {
        guard let current = words.last else { return }
        guard let first = words.first, words.count > 1 else { return addCommands(current) }
        guard let command = CommandTable.command(named: first.text) else { return }
        let position = CommandLinePosition(words.dropFirst().dropLast(), of: command.specification)
        if let option = position.pending { return await addValues(of: option, position, current, behind: 0) }
        if !position.isPastOptions, current.text.hasPrefix("-") { return await addOptions(position, current) }
        for word in position.operandWords { await addOperands(word, position, current) }
    }

    private mutating func addCommands(_ current: ShellWord) {
        add(CommandTable.commands.map { ($0.specification.name, $0.specification.summary) }, current)
        if current.text.hasPrefix("-") { add([("--help", "the commands"), ("--version", "the version")], current) }
    }

    private mutating func addOptions(_ position: CommandLinePosition, _ current: ShellWord) async {
        if current.text.hasPrefix("--"), let equals = current.text.firstIndex(of: "="),
            let option = position.command.option(named: String(current.text[..<equals]))
        {
            return await addValues(
                of: option, position, current,
                behind: current.text.distance(from: current.text.startIndex, to: equals) + 1)
        }
        add(
            position.openOptions.flatMap { option in option.names.map { ($0, option.summary) } }.filter {
                current.text.count > 1 || $0.0.hasPrefix("--")
            }, current)
    }

    /// - Parameter start: The number of characters of the word before the value.
    private mutating func addValues(
        of option: OptionSpecification, _ position: CommandLinePosition, _ current: ShellWord, behind start: Int
    ) async {
        let names = DocumentNames(position)
        if !option.choices.isEmpty { return add(option.choices.map { ($0, "") }, current, behind: start) }
        switch option.value {
        case "E": add(names.entities, current, behind: start)
        case "KEYS", "COLUMNS": addKeys(names, current, behind: start)
        case "MODEL": await addOperands("MODEL", position, current)
        case "NEW", "FILE", "DIR": isFile = true
        case "NAME" where option.names[0] == "--template": add(names.templates, current, behind: start)
        default: break
        }
    }

    /// - Parameter word: The placeholder in the usage line.
    private mutating func addOperands(_ word: String, _ position: CommandLinePosition, _ current: ShellWord) async {
        switch word {
        case "DOC", "DOC@n", "MODEL", "ARCHIVE", "DIR", "NEW", "FILE":
            isFile = true
            if word.hasPrefix("DOC") || word == "MODEL", let mark = current.text.lastIndex(of: "@") {
                let states = await DocumentNames.states(ofDocumentAt: String(current.text[..<mark]))
                add(
                    word == "DOC@n" ? states.filter { $0.text.first?.isNumber == true } : states, current,
                    behind: current.text.distance(from: current.text.startIndex, to: mark) + 1)
            }
            if word == "MODEL", let mark = current.text.lastIndex(of: "#") {
                let versions = DocumentNames.versions(ofModelAt: String(current.text[..<mark]))
                add(versions, current, behind: current.text.distance(from: current.text.startIndex, to: mark) + 1)
            }
        case "ENTITY": add(DocumentNames(position).entities, current)
        case "OBJECT":
            add(
                DocumentNames(position).entities.filter { $0.summary == "entity" }.map {
                    ($0.text + "/p", "an object of it")
                }, current)
            continues = true
        case "KEY": add(DocumentNames(position).keys(behind: []), current)
        case "KEY=VALUE": addAssignments(DocumentNames(position), current)
        case "COMMAND": add(CommandTable.commands.map { ($0.specification.name, $0.specification.summary) }, current)
        case let name where name.first?.isLowercase == true:
            let summary =
                position.command.subcommands.first { $0.name == name }?.summary
                ?? Help.topics.first { $0.name == name }?.summary
            add([(name, summary ?? "")], current)
        default: break
        }
    }

    /// Completes a comma-separated list of keys and key paths, each with an optional `-` before it.
    private mutating func addKeys(_ names: DocumentNames, _ current: ShellWord, behind start: Int) {
        let value = current.text.dropFirst(start)
        let key = value.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
        let path = key.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        let last = path.last ?? ""
        add(names.keys(behind: Array(path.dropLast())), current, behind: current.text.count - last.count)
        continues = true
    }

    private mutating func addAssignments(_ names: DocumentNames, _ current: ShellWord) {
        if let equals = current.text.firstIndex(of: "=") {
            let key = current.text[..<equals].prefix { !":+-".contains($0) }
            let values = names.values(of: String(key))
            add(values, current, behind: current.text.distance(from: current.text.startIndex, to: equals) + 1)
            continues = values.contains { $0.text.hasSuffix("/p") }
        } else {
            add(names.keys(behind: []).map { ($0.text + "=", $0.summary) }, current)
            continues = true
        }
    }

    // MARK: Candidates

    /// Adds the names that complete the part of the word after its first `start` characters.
    private mutating func add(_ names: [DocumentNames.Name], _ current: ShellWord, behind start: Int = 0) {
        let written = current.text.dropFirst(start)
        // The first part is kept as typed, including quotes. The rest must contain no quotes,
        // because its start in the raw word would be unknown.
        guard current.raw.hasSuffix(written) else { return }
        let head = shell == .fish ? String(current.text.prefix(start)) : String(current.raw.dropLast(written.count))
        for name in names where name.text.hasPrefix(written) {
            candidates.append((head + (shell == .fish ? name.text : ShellWord.escaped(name.text)), name.summary))
        }
    }
}
