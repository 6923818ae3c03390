/// The words of a command line, sorted into operands and options by the command's table.
struct ParsedArguments: Sendable {
    let operands: [String]
    private let values: [String: [String]]

    /// - Throws: usage errors: an unknown option, a missing value, too few or too many operands, an empty one; 69 for options of a later version.
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
            guard let option = specification.option(named: name) else {
                let known = specification.options.flatMap(\.names)
                throw CommandError.usage(
                    "unknown option \(name)", hint: Suggestion.sentence(for: name, among: known) ?? "see folio help \(specification.name)")
            }
            if option.isLater { throw CommandError.unavailable("the option \(option.names[0]) of \(specification.name)") }
            let key = option.names[0]
            if option.value == nil {
                guard attached == nil else { throw CommandError.usage("the option \(name) takes no value") }
                values[key, default: []].append("")
            } else if let value = attached ?? rest.popFirst() {
                values[key, default: []].append(value)
            } else {
                throw CommandError.usage("the option \(name) needs a value: \(option.synopsis)")
            }
        }
        self.operands = operands
        self.values = values
        if has(OptionSpecification.help) { return }
        if operands.count < specification.count.lowerBound {
            throw CommandError.usage("too few arguments", hint: "usage: folio \(specification.name) \(specification.operands)")
        }
        // As of a variable that is not set: a path without a name is the folder that one is in.
        if operands.contains("") { throw CommandError.usage("an argument is empty", hint: "usage: folio \(specification.name) \(specification.operands)") }
        if operands.count > specification.count.upperBound {
            throw CommandError.usage(
                "one argument too many: \(operands[specification.count.upperBound])", hint: "usage: folio \(specification.name) \(specification.operands)")
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

    /// The last value given for an option.
    func value(_ name: String) -> String? { values[name]?.last }

    /// All values given for an option, in their order.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value as a number that is not negative.
    func count(_ name: String) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= 0 else { throw CommandError.usage("the option \(name) needs a number, not \(text)") }
        return number
    }

    /// The value as one of a few words.
    func choice(_ name: String, among choices: [String], default fallback: String) throws -> String {
        guard let text = value(name) else { return fallback }
        guard choices.contains(text) else {
            throw CommandError.usage(
                "the option \(name) does not take \(text)", hint: Suggestion.sentence(for: text, among: choices) ?? "one of " + choices.joined(separator: ", "))
        }
        return text
    }
}
