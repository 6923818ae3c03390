/// An option that a command understands.
struct OptionSpecification: Sendable {
    /// All spellings; the first, with its dashes, is the one that results are asked by.
    let names: [String]
    /// What stands for the option's value in help text; nil for a flag.
    let value: String?
    let summary: String
    /// The only values that the option takes; empty where it takes others.
    let choices: [String]
    let repetition: Repetition

    /// What it means to give an option twice.
    enum Repetition: Sendable, Equatable {
        /// Each value counts.
        case allowed
        /// A usage error, with a hint how to say both, where there is a way.
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
    static let help = OptionSpecification(["--help", "-h"], "show this help")
    static let model = OptionSpecification(["--model"], value: "MODEL", "the model of a store that carries none")
    static let dryRun = OptionSpecification(["--dry-run"], "say what would be done, and do nothing")
    /// - Parameter choices: the first is the default.
    static func format(_ summary: String, _ choices: [String]) -> OptionSpecification {
        OptionSpecification([formatName], value: "FORMAT", summary, choices: choices)
    }
    static let formatName = "--format"
    /// The formats that `--json` asks for, or that go with it.
    static let jsonFormats = ["json", "jsonl"]
    static let force = OptionSpecification(["--force"], "replace what is there")
    static let output = OptionSpecification(
        ["--output", "-o"], value: "FILE", "write there instead of to standard output")

    /// What every command understands; one that makes a document or a folder has an `--output` of
    /// its own.
    static let common = [output, json, noProgress, help]
}
