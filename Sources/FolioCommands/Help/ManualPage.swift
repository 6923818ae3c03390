/// The manual page in mdoc(7) format, generated from the command table.
struct ManualPage {
    /// The date of the last change of the content.
    private static let date = "November 28, 2026"
    /// The maximum width of text lines in the source.
    private static let width = 76
    /// The maximum width of literal lines, which the page indents.
    private static let literalWidth = 66

    private(set) var lines: [String] = []
    /// Whether a paragraph needs a macro before it. After a heading it does not.
    private var hasText = false

    static func print(_ console: Console) {
        var page = ManualPage()
        page.write()
        page.lines.forEach(console.print)
    }

    private mutating func write() {
        lines += [".Dd \(Self.date)", ".Dt FOLIO 1", ".Os", ".Sh NAME", ".Nm folio", ".Nd \(Help.introduction)"]
        lines += [
            ".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar argument ...", ".Op Ar option ...", ".Nm", ".Cm help",
            ".Op Ar command",
        ]
        heading("DESCRIPTION")
        paragraph(
            "folio makes, shows, edits and converts documents whose content is a graph of objects, in Core Data's own file format. A document is a folder or one zip file that carries "
                + "its model, an SQLite store and its large values; stores that Apple's framework wrote are opened, edited and saved as they are."
        )
        for sentence in Help.conventions { paragraph(sentence) }
        paragraph(
            "Commands that read change no byte of a document. Commands that write are one save, all of it or nothing, and have --dry-run."
        )
        paragraph(
            "Results go to standard output, and all that is said to a person to standard error. With --json results and errors are JSON."
        )
        paragraph("Every command understands:")
        list(OptionSpecification.common.map { (Self.item($0), Self.sentence($0.summary)) })
        heading("COMMANDS")
        for command in CommandTable.commands { write(command.specification) }
        writePredicates()
        writeSurroundings()
        heading("EXIT STATUS")
        list(ExitCode.meanings.map { (".It \($0.code.rawValue)", $0.long) })
        heading("EXAMPLES")
        for command in CommandTable.commands {
            if let example = command.specification.examples.first { commandLine(example) }
        }
    }

    private mutating func write(_ command: CommandSpecification) {
        lines.append(".Ss folio \(Self.escaped(command.name))")
        hasText = false
        paragraph(Self.sentence(command.summary))
        beginLiteral()
        for usage in command.usages { literal(TextWrapper(width: Self.literalWidth).lines(usage, indent: 6)) }
        endLiteral()
        list(command.subcommands.map { (".It Cm \($0.name)", Self.sentence($0.summary)) })
        list(
            command.options.filter { option in !OptionSpecification.common.contains { $0.names == option.names } }.map {
                (Self.item($0), Self.sentence($0.summary))
            })
        notes(command.notes)
        if !command.examples.isEmpty {
            paragraph(command.examples.count == 1 ? "For example:" : "Examples:")
            for example in command.examples { commandLine(example) }
        }
    }

    private mutating func writePredicates() {
        heading("PREDICATES")
        paragraph(PredicateHelp.introduction)
        for section in PredicateHelp.sections {
            lines.append(".Ss \(section.title)")
            hasText = false
            list(
                section.examples.map {
                    (".It Li \"\(Self.escaped($0.predicate, isLiteral: true).replacing("\"", with: "\"\""))\"", $0.sql)
                })
            notes(section.notes)
        }
    }

    private mutating func writeSurroundings() {
        heading("ENVIRONMENT")
        list([
            (".It Ev NO_COLOR", "Where it is set, errors have no color."),
            (
                ".It Ev TERM",
                "Where it is dumb, there is neither color nor progress, and no pager but one of the following."
            ),
            (
                ".It Ev FOLIO_PAGER , PAGER",
                "The program that shows output longer than the screen of a terminal; the first that is set counts. Where it is empty or cat, there is none; without them it is less."
            ),
            (".It Ev LESS , LV", "For the pager; FRX and -c where they are not set."),
            (
                ".It Ev XDG_STATE_HOME",
                "Where work lies that is not in the document yet; ~/.local/state where it is not set."
            ),
            (".It Ev XDG_RUNTIME_DIR", "Where the lock of a document lies in whose folder no file can be made."),
            (".It Ev TMPDIR", "Where earlier states of documents are put together; /tmp where it is not set."),
            (
                ".It Ev FOLIO_SHARED_FOLDERS",
                "Folders, with colons between, that a program keeps the same on several machines: beside what lies there, no journal is kept."
            ),
            (
                ".It Ev FOLIO_SQL_DEBUG",
                "1 to 4: SQL statements are said on standard error, with their times, arguments and plans."
            ),
        ])
        heading("FILES")
        list([
            (
                ".It Pa Name.folio",
                "A document as a package: a folder with manifest.json, model, store.sqlite, content and versions."
            ),
            (".It Pa Name.folioz", "A document as an archive: a zip file with the same."),
            (".It Pa Name.sqlite , Name.storedata , Name.xml", "A store by itself."),
            (".It Pa .Name.folio.lock", "The lock of a document while somebody edits it."),
            (".It Pa ~/.local/state/folio", "Work on archives that is not saved yet."),
        ])
    }

    // MARK: Parts

    private mutating func heading(_ title: String) {
        lines.append(".Sh \(title)")
        hasText = false
    }

    private mutating func paragraph(_ text: String) {
        if hasText { lines.append(".Pp") }
        add(text)
        hasText = true
    }

    /// Adds text, with each sentence starting on a new line.
    private mutating func add(_ text: String) {
        var line = ""
        for word in Self.escaped(text).split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > Self.width || Self.endsSentence(line) {
                lines.append(Self.textLine(line))
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(Self.textLine(line))
    }

    private mutating func notes(_ text: String) {
        guard !text.isEmpty else { return }
        var isLiteral = false
        for block in NoteBlock.blocks(of: text) {
            if case .fixedLine(let line) = block {
                if !isLiteral { beginLiteral() }
                isLiteral = true
                literal(TextWrapper(width: Self.literalWidth).noteLines(String(line)))
                continue
            }
            if isLiteral { endLiteral() }
            isLiteral = false
            if case .paragraph(let text) = block { paragraph(text) }
        }
        if isLiteral { endLiteral() }
    }

    private mutating func list(_ items: [(item: String, text: String)]) {
        guard !items.isEmpty else { return }
        lines.append(".Bl -tag -width Ds")
        for (item, text) in items {
            lines.append(item)
            add(text)
        }
        lines.append(".El")
        hasText = true
    }

    private mutating func commandLine(_ text: String) {
        beginLiteral()
        literal(TextWrapper(width: Self.literalWidth).commandLines(text, start: "", indent: 4))
        endLiteral()
    }

    private mutating func beginLiteral() { lines.append(".Bd -literal -offset indent") }

    private mutating func endLiteral() {
        lines.append(".Ed")
        hasText = true
    }

    private mutating func literal(_ text: [String]) {
        lines += text.map { Self.textLine(Self.escaped($0, isLiteral: true)) }
    }

    // MARK: Text

    private static func item(_ option: OptionSpecification) -> String {
        let names = option.names.map { "Fl \(escaped(String($0.dropFirst()), isLiteral: true))" }.joined(
            separator: " , ")
        return ".It " + names + (option.value.map { " Ar \\&\(escaped($0))" } ?? "")
    }

    private static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    private static func endsSentence(_ line: String) -> Bool {
        let bare = line.reversed().drop { ")\"'".contains($0) }
        return bare.first.map { ".!?".contains($0) } ?? false
    }

    /// - Parameter isLiteral: Whether all hyphens are minus signs, as in command lines. Otherwise
    ///   hyphens within words are hyphens.
    private static func escaped(_ text: String, isLiteral: Bool = false) -> String {
        var result = "", last: Character = " "
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "…": result += "..."
            case "-" where isLiteral || !(last.isLetter || last.isNumber): result += "\\-"
            default: result.append(character)
            }
            last = character
        }
        return result
    }

    /// Escapes a line that would be parsed as a macro.
    private static func textLine(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
}
