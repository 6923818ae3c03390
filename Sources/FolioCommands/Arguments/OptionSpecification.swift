/// An option that a command understands.
struct OptionSpecification: Sendable {
    /// All spellings; the first, with its dashes, is the one that results are asked by.
    let names: [String]
    /// What stands for the option's value in help text; nil for a flag.
    let value: String?
    let summary: String
    /// The contract names the option, but this version does not have it.
    let isLater: Bool

    init(_ names: [String], value: String? = nil, _ summary: String, isLater: Bool = false) {
        self.names = names
        self.value = value
        self.summary = summary
        self.isLater = isLater
    }

    var synopsis: String {
        names.joined(separator: ", ") + (value.map { " " + $0 } ?? "")
    }

    static let json = OptionSpecification(["--json"], "print JSON, errors too")
    static let noProgress = OptionSpecification(["--no-progress"], "show no progress")
    static let help = OptionSpecification(["--help", "-h"], "show this help")
    static let model = OptionSpecification(["--model"], value: "MODEL", "the model of a store that carries none")
    static let dryRun = OptionSpecification(["--dry-run"], "say what would be done, and do nothing")
    static let output = OptionSpecification(["--output", "-o"], value: "FILE", "write there instead of to standard output")

    /// What every command understands.
    static let common = [json, noProgress, help]
}
