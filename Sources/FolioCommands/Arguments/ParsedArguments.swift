/// The operands and options of a command line, parsed by the command's specification.
struct ParsedArguments: Sendable {
    let operands: [String]
    private let values: [String: [String]]

    /// - Throws: A usage error for an unknown or repeated option, a missing or invalid value,
    ///   options that exclude each other, too few or too many operands, or an empty operand.
    init(_ words: [String], for specification: CommandSpecification) throws {
        var operands: [String] = []
        var values: [String: [String]] = [:]
        var rest = words[...]
        var optionsEnded = false
        while let word = rest.popFirst() {
            if optionsEnded || !word.hasPrefix("-") || word == "-" {
                operands.append(word)
                continue
            }
            if word == "--" {
                optionsEnded = true
                continue
            }
            let (name, attached) = Self.split(word)
            guard let option = specification.option(named: name) else { throw Self.unknown(word, name, specification) }
            let key = option.names[0]
            if values[key] != nil, case .refused(let hint) = option.repetition {
                throw InterchangeError.usage("the option \(name) is given twice", hint: hint ?? "leave one of them out")
            }
            if option.value == nil {
                guard attached == nil else { throw InterchangeError.usage("the option \(name) takes no value") }
                values[key, default: []].append("")
            } else if let value = attached ?? rest.popFirst() {
                try Self.check(value, of: option, name)
                values[key, default: []].append(value)
            } else {
                throw InterchangeError.usage("the option \(name) needs a value: \(option.synopsis)")
            }
        }
        self.operands = operands
        self.values = values
        if has(OptionSpecification.help) { return }
        try checkContradictions(specification)
        if operands.count < specification.count.lowerBound {
            throw InterchangeError.usage("too few arguments", hint: specification.usage)
        }
        // An empty operand usually comes from an unset shell variable. An empty path would be
        // interpreted as the current folder.
        if operands.indices.contains(where: { operands[$0].isEmpty && $0 != specification.takesEmptyOperandAt }) {
            throw InterchangeError.usage("an argument is empty", hint: specification.usage)
        }
        // If a command has subcommands, the number of operands is checked for the selected
        // subcommand.
        if specification.subcommands.isEmpty, operands.count > specification.count.upperBound {
            throw InterchangeError.usage(
                "one argument too many: \(operands[specification.count.upperBound])", hint: specification.usage)
        }
    }

    private static func unknown(_ word: String, _ name: String, _ specification: CommandSpecification)
        -> InterchangeError
    {
        let known = specification.options.flatMap(\.names)
        // A long option with one dash, or a one-letter option with an attached value.
        let (written, isLong) = word.hasPrefix("--") || word.count == 2 ? (name, false) : (split("-" + word).name, true)
        let usual = otherNames[written].flatMap { known.contains($0) ? $0 : nil }
        return InterchangeError.usage(
            "unknown option \(isLong ? word : name)",
            hint: usual.flatMap { Suggestion.sentence([$0]) } ?? Suggestion.sentence(for: written, among: known)
                ?? "see folio help \(specification.name)")
    }

    /// Options by the names that other programs give them.
    private static let otherNames = [
        "-n": "--limit", "--top": "--limit", "--max": "--limit", "--skip": "--offset", "--order": "--sort",
        "--order-by": "--sort", "--orderby": "--sort", "--filter": "--where", "--predicate": "--where",
        "--select": "--columns", "--fields": "--columns", "--group": "--group-by",
    ]

    private static func check(_ value: String, of option: OptionSpecification, _ name: String) throws {
        guard !option.choices.isEmpty, !option.choices.contains(value) else { return }
        throw InterchangeError.usage(
            "the option \(name) does not take \(value)",
            hint: Suggestion.sentence(for: value, among: option.choices) ?? "one of "
                + option.choices.joined(separator: ", "))
    }

    private func checkContradictions(_ specification: CommandSpecification) throws {
        for group in specification.exclusions {
            let given = group.filter(has)
            guard given.count > 1 else { continue }
            throw InterchangeError.usage(
                given.dropLast().joined(separator: ", ") + " and \(given[given.count - 1]) exclude each other",
                hint: specification.usage)
        }
        if has(OptionSpecification.json), let format = value(OptionSpecification.formatName),
            !OptionSpecification.jsonFormats.contains(format)
        {
            throw InterchangeError.usage(
                "--json and --format \(format) exclude each other", hint: "leave one of them out")
        }
    }

    private static func split(_ word: String) -> (name: String, value: String?) {
        if word.hasPrefix("--") {
            guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
            return (String(word[..<equals]), String(word[word.index(after: equals)...]))
        }
        return word.count > 2 ? (String(word.prefix(2)), String(word.dropFirst(2))) : (word, nil)
    }

    func has(_ option: OptionSpecification) -> Bool { values[option.names[0]] != nil }
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option.
    func value(_ name: String) -> String? { values[name]?.first }

    /// All values of an option, in order.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value as a nonnegative integer.
    func count(_ name: String) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw InterchangeError.usage("the option \(name) needs a number, not \(text)")
        }
        return number
    }
}
