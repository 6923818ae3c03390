/// An option of a command.
struct OptionSpecification: Sendable {
    /// All spellings, with dashes. Values are looked up by the first one.
    let names: [String]
    /// The placeholder of the option's value in help text; nil for a flag.
    let value: String?
    let summary: String
    /// The allowed values; empty if the option takes any value.
    let choices: [String]
    let repetition: Repetition

    /// The treatment of an option that is given twice.
    enum Repetition: Sendable, Equatable {
        /// All values are used.
        case allowed
        /// A usage error, with a hint how to achieve both, if possible.
        case refused(hint: String?)
    }

    init(
        _ names: [String], value: String? = nil, _ summary: String, choices: [String] = [],
        repetition: Repetition = .refused(hint: nil)
    ) {
        self.names = names
        self.value = value
        self.summary = summary
        self.choices = choices
        self.repetition = repetition
    }

    var synopsis: String {
        names.joined(separator: ", ") + (value.map { " " + $0 } ?? "")
    }

    static let json = OptionSpecification(["--json"], "print JSON, errors too")
    static let noProgress = OptionSpecification(["--no-progress"], "show no progress")
    static let noPager = OptionSpecification(["--no-pager"], "show no pager")
    static let help = OptionSpecification(["--help", "-h"], "show this help")
    static let model = OptionSpecification(["--model"], value: "MODEL", "the model of a store that carries none")
    static let dryRun = OptionSpecification(["--dry-run"], "say what would be done, and do nothing")
    /// - Parameter choices: The allowed formats; the first one is the default.
    static func format(_ summary: String, _ choices: [String]) -> OptionSpecification {
        OptionSpecification([formatName], value: "FORMAT", summary, choices: choices)
    }
    static let formatName = "--format"
    /// The formats that `--json` selects or allows.
    static let jsonFormats = ["json", "jsonl"]
    static let force = OptionSpecification(["--force"], "replace what is there")
    static let output = OptionSpecification(
        ["--output", "-o"], value: "FILE", "write there instead of to standard output")

    /// The options of every command that take no value, which may stand before its name.
    static let flags = [json, noProgress, noPager].flatMap(\.names)

    /// The options of every command. A command that creates a document or a folder has its own
    /// `--output`.
    static let common = [output, json, noProgress, noPager, help]
}
