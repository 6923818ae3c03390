import Foundation
import TestSupport
import Testing

/// Every option of every command, as `folio help --json` lists them: mistyped, repeated, without
/// its value, with a value that it does not take, beside one that it excludes.
struct OptionTableTests {
    struct Option {
        let names: [String]
        let value: String?
        let choices: [String]
        let isRepeatable: Bool

        /// The option with some value that it takes.
        var words: [String] { value == nil ? [names[0]] : [names[0], choices.first ?? "1"] }
    }

    struct Entry {
        let name: String
        let usage: String
        let options: [Option]
        let exclusions: [[String]]

        func option(_ name: String) -> Option? { options.first { $0.names.contains(name) } }
    }

    static func commands() throws -> [Entry] {
        let table = try FolioCommand.run("help", "--json").object["commands"] as? [[String: Any]] ?? []
        return table.map { command in
            Entry(
                name: command["name"] as? String ?? "", usage: command["usage"] as? String ?? "",
                options: (command["options"] as? [[String: Any]] ?? []).map { option in
                    Option(
                        names: option["names"] as? [String] ?? [], value: option["value"] as? String,
                        choices: option["choices"] as? [String] ?? [],
                        isRepeatable: option["isRepeatable"] as? Bool ?? false)
                },
                exclusions: command["exclusions"] as? [[String]] ?? [])
        }
    }

    /// A usage error in one line, with a hint, and nothing on standard output.
    private func expectUsage(
        _ words: [String], _ text: String, hint: String? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try FolioCommand.run(words)
        #expect(outcome.exit == 64, "\(words): \(outcome.messages)", sourceLocation: location)
        #expect(outcome.output.isEmpty, "\(words)", sourceLocation: location)
        if words.contains("--json") {
            #expect(
                outcome.messages.contains("\"hint\"") && outcome.messages.contains(text),
                "\(words): \(outcome.messages)", sourceLocation: location)
        } else {
            #expect(
                outcome.errors.count == 1 && outcome.messages.contains(text), "\(words): \(outcome.messages)",
                sourceLocation: location)
            #expect(
                outcome.hints.count == 1 && outcome.hints.allSatisfy { line in hint.map(line.contains) ?? true },
                "\(words): \(outcome.messages)", sourceLocation: location)
        }
    }

    @Test func theTableIsThere() throws {
        let commands = try Self.commands()
        #expect(commands.count > 20 && commands.allSatisfy { $0.options.count >= 3 })
    }

    /// Commands that change no document and make none, or do what a client says.
    private static let readers: Set = [
        "completion", "conflicts", "diff", "explain", "export", "extract", "fetch", "get", "help", "info", "model",
        "serve", "verify",
    ]

    @Test func everyCommandHasTheOptionsOfWhatItDoes() throws {
        for command in try Self.commands() {
            #expect(command.option("-o") != nil && command.option("--json") != nil, "\(command.name)")
            #expect((command.option("--dry-run") != nil) != Self.readers.contains(command.name), "\(command.name)")
            if command.usage.contains(/\bDOC\b/) { #expect(command.option("--model") != nil, "\(command.name)") }
            // What it makes may be there already.
            if command.name == "new" || command.usage.contains(/\b(NEW|ARCHIVE)\b/) {
                #expect(command.option("--force") != nil, "\(command.name)")
            }
        }
    }
}

extension OptionTableTests {
    /// An option that does nothing is refused: only a migration has steps to tell of.
    @Test func stepsAreToldByMigrateAlone() throws {
        for command in try Self.commands() where command.option("--verbose") == nil {
            try expectUsage([command.name, "--verbose"], "unknown option --verbose")
        }
        #expect(try Self.commands().filter { $0.option("--verbose") != nil }.map(\.name) == ["migrate"])
    }

    @Test(.enabled(if: runsSweeps)) func aMistypedOptionNamesTheNearest() throws {
        for command in try Self.commands() {
            for name in command.options.flatMap(\.names) where name.hasPrefix("--") {
                var letters = Array(name)
                letters.remove(at: 3)
                try expectUsage([command.name, String(letters)], "unknown option \(String(letters))", hint: name)
                // With one dash it is no option of one letter.
                if command.option(String(name.dropFirst().prefix(2))) == nil {
                    try expectUsage([command.name, String(name.dropFirst())], "unknown option", hint: name)
                }
            }
        }
    }

    @Test(.enabled(if: runsSweeps)) func aRepeatedOptionIsRefused() throws {
        for command in try Self.commands() {
            for option in command.options {
                let words = [command.name] + option.words + option.words
                if option.isRepeatable {
                    #expect(!(try FolioCommand.run(words)).messages.contains("given twice"))
                } else {
                    try expectUsage(words, "is given twice")
                }
            }
        }
    }

    @Test(.enabled(if: runsSweeps)) func anOptionWithoutItsValueIsRefusedAndAFlagWithOneToo() throws {
        for command in try Self.commands() {
            for option in command.options {
                let outcome = try FolioCommand.run(
                    option.value == nil ? [command.name, option.names[0] + "=1"] : [command.name, option.names[0]])
                #expect(outcome.exit == 64)
                #expect(
                    outcome.messages.contains(option.value == nil ? "takes no value" : "needs a value"),
                    "\(command.name) \(option.names)")
                if !option.choices.isEmpty {
                    try expectUsage(
                        [command.name, option.names[0], "mystery"], "does not take mystery",
                        hint: option.choices.joined(separator: ", "))
                }
            }
        }
    }

    /// Too few operands, none too many to be taken, and none that is empty.
    @Test func operandsThatDoNotFitAreRefused() throws {
        for command in try Self.commands()
        where command.usage.contains(/\b(DOC|MODEL|DIR|ARCHIVE)\b/) && command.name != "serve" {
            try expectUsage([command.name], "too few arguments", hint: "usage: folio \(command.name)")
            let outcome = try FolioCommand.run(
                [command.name] + (command.usage.contains("…") ? [""] : Array(repeating: "x", count: 12)))
            #expect(
                outcome.exit == 64 && outcome.output.isEmpty && outcome.errors.count == 1,
                "\(command.name): \(outcome.messages)")
        }
    }

    @Test func aMistypedCommandNamesTheNearest() throws {
        for command in try Self.commands() {
            var letters = Array(command.name)
            letters.swapAt(letters.count - 1, letters.count - 2)
            guard String(letters) != command.name else { continue }
            try expectUsage([String(letters)], "unknown command \(String(letters))", hint: command.name)
        }
    }
}

extension OptionTableTests {
    @Test func optionsThatContradictEachOtherAreRefused() throws {
        for command in try Self.commands() {
            for group in command.exclusions {
                let pairs = group.indices.flatMap { place in group[(place + 1)...].map { (group[place], $0) } }
                for (first, second) in pairs {
                    let options = try [first, second].map { try #require(command.option($0)) }
                    try expectUsage(
                        [command.name] + options.flatMap(\.words), "\(first) and \(second) exclude each other")
                }
            }
            for format in command.option("--format")?.choices ?? [] where !format.hasPrefix("json") {
                try expectUsage(
                    [command.name, "--format", format, "--json"], "--json and --format \(format) exclude each other")
            }
        }
    }

    @Test(arguments: [
        (["fetch", "DOC", "Person", "--count", "--format", "csv"], "--count and --format csv exclude each other"),
        (["fetch", "DOC", "Person", "--columns", "name,name"], "the column name is named twice"),
        (["insert", "DOC", "Person", "name=a", "name=b"], "name is set twice"),
        (["set", "DOC", "Person/p1", "name=a", "name:=null"], "name is set twice"),
        (["set", "DOC", "Journey/p1", "members=Person/p1", "members+=Person/p2"], "members is set twice"),
        (["help", "fetch", "--mime"], "leave fetch out"),
        (["help", "fetch", "--man"], "leave fetch out"),
        (["fetch", "DOC", "Person", "--distinct"], "--distinct needs --columns"),
        (["fetch", "DOC", "Person", "--having", "count > 1"], "--having is a condition on groups"),
        (["fetch", "DOC", "Person", "--with", "a=1"], "there is no variable $a"),
        (["fetch", "DOC", "Person", "--template", "x"], "leave Person out"),
        (["explain", "DOC", "Person", "--having", "count > 1"], "--having is a condition on groups"),
        (["set", "DOC", "Person/p1", "--where", "TRUEPREDICATE", "name=a"], "--where goes with an entity"),
        (["delete", "DOC", "Person/p1", "--where", "TRUEPREDICATE"], "--where goes with an entity"),
        (["delete", "DOC", "Person"], "Person without --where"),
        (["export", "DOC", "--format", "csv"], "CSV holds the objects of one entity"),
        (["restore", "DOC@1", "--force"], "--force goes with -o NEW"),
        (["migrate", "DOC", "--model", "DOC", "--force"], "--force goes with -o NEW"),
        (["migrate", "DOC", "DOC", "--model", "DOC", "-o", "DOC.new"], "one document is written to NEW"),
        (["recover", "DOC"], "say what becomes of the work"),
        (["versions", "DOC", "--keep", "3"], "--keep goes with prune"),
        (["versions", "DOC", "--remove"], "--remove goes with name"),
        (["versions", "prune", "DOC", "--keep", "3", "--remove"], "--remove goes with name"),
        (["model", "hash", "DOC", "--format", "json"], "--format does not go with model hash"),
        (["save-as", "DOC", "DOC.sqlite", "--with-versions"], "has no place for versions"),
    ]) func whatIsSaidTwiceOrContradictsItselfIsRefused(words: [String], text: String) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run(words.map { $0.replacing("DOC", with: document) })
            #expect(outcome.exit == 64)
            #expect(
                outcome.output.isEmpty && outcome.errors.count == 1 && outcome.messages.contains(text),
                "\(outcome.messages)")
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}

extension OptionTableTests {
    @Test func repeatedConditionsAllHaveToHold() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let all = Int(try FolioCommand.run("fetch", document, "Person", "--count").output.dropLast()) ?? 0
            let both = ["--where", "name == 'nobody'", "--where", "name != nil"]
            for conditions in [both, Array((both[2...] + both[..<2]))] {
                #expect(try FolioCommand.run(["fetch", document, "Person", "--count"] + conditions).output == "0\n")
                #expect(
                    try FolioCommand.run(["set", document, "Person", "name=x"] + conditions, in: folder).messages
                        == "changed 0 objects\n")
                #expect(
                    try FolioCommand.run(["delete", document, "Person"] + conditions, in: folder).messages
                        == "deleted 0 objects\n")
            }
            #expect(all > 0)
            #expect(try FolioCommand.run("fetch", document, "Person", "--count").output == "\(all)\n")
            #expect(
                try FolioCommand.run("explain", document, "Person", "--where", "name == 'a'", "--where", "name != 'b'")
                    .output.contains(" AND "))
        }
    }
}
